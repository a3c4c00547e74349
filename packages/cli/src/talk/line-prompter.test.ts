import { expect, it } from "vitest";
import { readVerb } from "./line-prompter.ts";

it.each([
  ["approve", { action: "approve" }],
  [" YES ", { action: "approve" }],
  ["approve thread", { action: "approve", remember: "thread" }],
  ["yes Always", { action: "approve", remember: "always" }],
  ["deny", { action: "deny" }],
  ["no not today", { action: "deny", reason: "not today" }],
  ['edit {"a": 1}', { action: "edit", arguments: { a: 1 } }],
  ["supply null", { action: "supply", result: null }],
])("reads %j", (line, verb) => {
  expect(readVerb(line)).toEqual(verb);
});

it.each(["", "maybe", "approve later", "yes but", "edit", "edit {", "supply"])(
  "lets nothing run because of %j",
  (line) => {
    expect(readVerb(line)).toBeUndefined();
  },
);
