import { expect, it } from "vitest";
import { placeAt, readAction, readSurface, readValue } from "./read-surface.ts";

it("puts the operations of a snapshot together, the later ones over the earlier ones", () => {
  const surface = readSurface([
    { createSurface: { surfaceId: "s" } },
    { updateComponents: { components: [{ id: "root", component: "Card", child: "a" }] } },
    { updateDataModel: { value: { name: "Ann", guests: [1, 2] } } },
    { updateDataModel: { path: "/guests/1", value: 5 } },
  ]);
  expect([...(surface?.components.keys() ?? [])]).toEqual(["root"]);
  expect(surface?.data).toEqual({ name: "Ann", guests: [1, 5] });
  expect(readSurface([{ deleteSurface: { surfaceId: "s" } }])).toBeUndefined();
  expect(readSurface([{ createSurface: { surfaceId: "s" } }, "garbage", null])).toBeUndefined();
});

it("reads values as they are, by their path, within an item of a list, and in a text", () => {
  const data = { name: "Ann", rows: [{ title: "One" }] };
  expect(readValue("x", data, "")).toBe("x");
  expect(readValue({ path: "/name" }, data, "")).toBe("Ann");
  expect(readValue({ path: "title" }, data, "/rows/0")).toBe("One");
  expect(readValue({ call: "formatString", args: { value: `Hi ${"$"}{/name}, ${"$"}{/gone}!` } }, data, "")).toBe(
    "Hi Ann, !",
  );
  expect(readValue({ path: "/constructor/name" }, data, "")).toBe("Ann");
  expect(readValue({ path: "/toString" }, data, "")).toBeUndefined();
});

it("places values without a change of what was there, and never at a prototype", () => {
  const before = { rows: [{ title: "One" }] };
  expect(placeAt(before, "/rows/0/title", "Two")).toEqual({ rows: [{ title: "Two" }] });
  expect(before).toEqual({ rows: [{ title: "One" }] });
  placeAt({}, "/__proto__/polluted", true);
  expect(Object("x").polluted).toBeUndefined();
});

it("knows an action from other messages", () => {
  const action = { name: "book", surfaceId: "s", sourceComponentId: "b", context: { day: 1 } };
  expect(readAction(JSON.stringify({ version: "v0.9", action }))).toEqual({ name: "book", context: { day: 1 } });
  for (const text of ["book", "{", "{}", '{"version":"v0.9"}', '{"action":{"name":"x"}}'])
    expect(readAction(text)).toBeUndefined();
});
