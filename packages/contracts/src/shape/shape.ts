import { isJson, type Json, type JsonObject } from "@reprise/state";
import { describeType, type ShapePath, type ShapeProblem, unfit } from "./shape-problem.ts";

/**
 * Describes a value: in words, as JSON Schema, and as a check that agrees with the schema. `Value` is the type of every value that
 * passes, so a description and its interface cannot differ.
 */
export interface Shape<Value> {
  /** In a sentence: `an array of strings`. */
  readonly says: string;
  readonly schema: JsonObject;
  /** Everything that is wrong with a value; empty when it fits. */
  problems(value: unknown, path: ShapePath): readonly ShapeProblem[];
  /** For the compiler alone. */
  readonly fits?: Value;
}

export const text: Shape<string> = simple("a string", { type: "string" }, (value) => typeof value === "string");

/** Not blank either: an id of three spaces is a mistake. */
export const nonEmptyText: Shape<string> = textLike("a non-empty string", "\\S");

/** A text that never appears in a message. */
export const secret: Shape<string> = {
  ...nonEmptyText,
  problems: (value, path) => nonEmptyText.problems(value, path).map(({ found: _, ...problem }) => problem),
};

export const flag: Shape<boolean> = simple("true or false", { type: "boolean" }, (value) => typeof value === "boolean");

export const json: Shape<Json> = simple("any JSON", {}, isJson);

/** A text that a pattern fits. */
export function textLike(says: string, pattern: string): Shape<string> {
  const expression = new RegExp(pattern, "u");
  const fits = (value: unknown): boolean => typeof value === "string" && expression.test(value);
  return simple(says, { type: "string", pattern }, fits);
}

export function wholeNumberFrom(minimum: number): Shape<number> {
  const fits = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= minimum;
  const maximum = Number.MAX_SAFE_INTEGER;
  return simple(`a whole number of at least ${minimum}`, { type: "integer", minimum, maximum }, fits);
}

export const wholeNumber: Shape<number> = simple("a whole number", { type: "integer" }, Number.isSafeInteger);

/** Taken as it is: whatever uses the value looks at it. The schema tells clients what it is meant to be. */
export function unchecked<Value>(schema: JsonObject = {}): Shape<Value> {
  return { says: "any JSON", schema, problems: () => [] };
}

export function numberFrom(minimum: number): Shape<number> {
  const fits = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value) && value >= minimum;
  return simple(`a number of at least ${minimum}`, { type: "number", minimum }, fits);
}

export function oneOf<Word extends string>(...words: readonly Word[]): Shape<Word> {
  const says = words.length === 1 ? JSON.stringify(words[0]) : `one of ${words.join(", ")}`;
  return simple(says, { enum: words }, (value) => words.some((word) => word === value));
}

/** Narrows a shape by a rule of its own, which answers with what is wrong. No schema says it. `code` is the error code of the rule. */
export function narrowed<Value>(
  shape: Shape<Value>,
  findProblem: (value: Json) => string | undefined,
  code?: string,
): Shape<Value> {
  return {
    ...shape,
    problems: (value, path) => {
      const problems = shape.problems(value, path);
      if (problems.length > 0) return problems;
      // The shape fits, and shapes fit JSON only.
      const problem = findProblem(value as Json);
      return problem === undefined ? [] : [{ path, says: `: ${problem}`, ...(code !== undefined && { code }) }];
    },
  };
}

export function listOf<Item>(item: Shape<Item>, maximum?: number): Shape<readonly Item[]> {
  const limit = maximum === undefined ? {} : { maxItems: maximum };
  return {
    says: `an array, each item ${item.says}`,
    schema: { type: "array", items: item.schema, ...limit },
    problems: (value, path) => {
      if (!Array.isArray(value)) return [otherType(path, "an array", value)];
      if (maximum !== undefined && value.length > maximum)
        return [{ path, says: ` must have at most ${maximum} items` }];
      return value.flatMap((entry, index) => item.problems(entry, [...path, index]));
    },
  };
}

/** An object with keys of any form, or of one, whose values have one shape. */
export function recordOf<Item>(item: Shape<Item>, key?: Shape<string>): Shape<Readonly<Record<string, Item>>> {
  const names = key === undefined ? {} : { propertyNames: key.schema };
  return {
    says: `an object, each value ${item.says}`,
    schema: { type: "object", ...names, additionalProperties: item.schema },
    problems: (value, path) => {
      if (!isPlainObject(value)) return [otherType(path, "an object", value)];
      return Object.entries(value).flatMap(([name, entry]) => {
        const here = [...path, name];
        const isMisnamed = key !== undefined && key.problems(name, here).length > 0;
        const misnamed = isMisnamed ? [{ path: here, says: ` is not a valid key: a key must be ${key.says}` }] : [];
        return [...misnamed, ...item.problems(entry, here)];
      });
    },
  };
}

/** The first of two where it is a text, the second where it is not. */
export function textOr<Word extends string, Other>(first: Shape<Word>, other: Shape<Other>): Shape<Word | Other> {
  return {
    says: `${first.says}, or ${other.says}`,
    schema: { anyOf: [first.schema, other.schema] },
    problems: (value, path) => (typeof value === "string" ? first : other).problems(value, path),
  };
}

/** Says that a value is no list or no object: what is in it instead may be anything, a secret too. */
export function otherType(path: ShapePath, wanted: string, value: unknown): ShapeProblem {
  const type = describeType(value);
  return { path, says: ` must be ${wanted}`, found: { value: type, type } };
}

function simple<Value>(says: string, schema: JsonObject, fits: (value: unknown) => boolean): Shape<Value> {
  // That another text was wanted is all that can be said of a text.
  const wantsText = schema.type === "string" || "enum" in schema;
  return {
    says,
    schema,
    problems: (value, path) => (fits(value) ? [] : [unfit(path, says, value, wantsText && typeof value === "string")]),
  };
}

export function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
