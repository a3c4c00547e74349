import { defineTool } from "@reprise/runtime";
import { expect, it } from "vitest";
import { catalogueOf } from "./catalogue.ts";

const tools = ["a", "b", "c"].map((id) => defineTool({ id, description: id, execute: () => id }).descriptor);
const settings = { max_promoted: 2, max_promoted_tokens: 1_000 };

it("indexes tools once, also when every run has another array of them", () => {
  const first = catalogueOf(tools, settings);
  expect(catalogueOf(tools, settings)).toBe(first);
  expect(catalogueOf([...tools], settings)).toBe(first);
  expect(catalogueOf(tools.slice(1), settings)).not.toBe(first);
  expect(catalogueOf(tools, { ...settings })).not.toBe(first);
  for (let many = 0; many < 20; many++) catalogueOf(tools.slice(many % 2), { ...settings });
  expect(catalogueOf([...tools], settings)).toBe(first);
});

it("unloads the tools that were not used for longest, by number and by size", () => {
  const { findEvicted } = catalogueOf(tools, settings);
  expect(findEvicted(["a", "b"])).toEqual([]);
  expect(findEvicted(["a", "b", "c"])).toEqual(["a"]);
  expect(catalogueOf(tools, { max_promoted_tokens: 1 }).findEvicted(["a", "b"])).toEqual(["a", "b"]);
});
