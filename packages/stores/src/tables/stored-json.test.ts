import { expect, it } from "vitest";
import { fromJson, toJson } from "./stored-json.ts";

it("refuses what JSON would leave out without a word", () => {
  for (const value of [() => {}, Symbol("s"), 1n]) {
    expect(() => toJson({ deep: [{ value }] })).toThrow(expect.objectContaining({ code: "INVALID_REQUEST" }));
  }
});

it("gives back what no caller can change, all the way down", () => {
  const value = fromJson(toJson({ list: [{ deep: { deeper: 1 } }], left: undefined }));
  expect(value).toEqual({ list: [{ deep: { deeper: 1 } }] });
  expect(() => Object.assign((value as { list: { deep: object }[] }).list[0]?.deep ?? {}, { deeper: 2 })).toThrow();
});
