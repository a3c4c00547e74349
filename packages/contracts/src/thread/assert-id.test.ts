import { expect, it } from "vitest";
import { assertId, RepriseError } from "../index.ts";

it.each(["t1", "user@example.com", "a:b.c*d>e", "日本語", "🙂", "-", "a".repeat(256)])("accepts %j", (id) => {
  expect(() => assertId("thread", id)).not.toThrow();
});

it.each([
  "",
  ".",
  "..",
  "a/b",
  "a\\b",
  "a\u0000b",
  "a\nb",
  "\u009f",
  "\ud800",
  "__proto__",
  "constructor",
  "a".repeat(257),
])("refuses %j", (id) => {
  let thrown: unknown;
  try {
    assertId("thread", id);
  } catch (error) {
    thrown = error;
  }
  expect(RepriseError.is(thrown, "INVALID_ID")).toBe(true);
});
