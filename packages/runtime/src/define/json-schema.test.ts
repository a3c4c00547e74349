import { expect, it } from "vitest";
import { compileSchema } from "./json-schema.ts";

it.each([
  "http://json-schema.org/draft-07/schema#",
  "http://json-schema.org/draft-07/schema",
  "https://json-schema.org/draft-04/schema#",
])("reads a schema of the draft %s, with its tuples and definitions", ($schema) => {
  const validate = compileSchema({
    $schema,
    type: "object",
    properties: { pair: { type: "array", items: [{ $ref: "#/definitions/word" }, { type: "number" }] } },
    definitions: { word: { type: "string" } },
  });
  expect(validate({ pair: ["a", 1] })).toBeUndefined();
  expect(validate({ pair: [1, 1] })).toBe("/pair/0 must be string");
});

it("reads a schema of 2020-12, whether or not it says so", () => {
  const schema = { type: "object", properties: { pair: { prefixItems: [{ type: "string" }] } } };
  for (const $schema of [{}, { $schema: "https://json-schema.org/draft/2020-12/schema" }])
    expect(compileSchema({ ...$schema, ...schema })({ pair: [1] })).toBe("/pair/0 must be string");
});

it("names a property that is not allowed, and the values that are", () => {
  const validate = compileSchema({
    type: "object",
    properties: { unit: { enum: ["C", "F"] }, page: { enum: Array.from({ length: 12 }, (_, index) => index) } },
    additionalProperties: false,
  });
  expect(validate({ town: "Oslo" })).toBe('the value must not have the property "town"');
  expect(validate({ unit: "K" })).toBe('/unit must be one of "C", "F"');
  expect(validate({ page: 20 })).toBe("/page must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, …");
});
