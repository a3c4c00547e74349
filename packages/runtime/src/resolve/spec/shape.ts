import { isJson, type Json, type JsonObject } from "@reprise/state";

/** What a value must look like, for people, as JSON Schema, and as a check. */
export interface Shape {
  /** In a sentence: `a list of texts`. */
  readonly says: string;
  readonly schema: JsonObject;
  /** What is wrong with a value, each with its place; empty when it fits. */
  problems(value: unknown, at: string): readonly string[];
}

export const text: Shape = simple("a text", { type: "string" }, (value) => typeof value === "string");

export const nonEmptyText: Shape = simple(
  "a text that is not empty",
  { type: "string", minLength: 1 },
  (value) => typeof value === "string" && value !== "",
);

/** A text that never appears in a message. */
export const secret: Shape = {
  ...nonEmptyText,
  problems: (value, at) => (nonEmptyText.problems(value, at).length === 0 ? [] : [`${at} is ${nonEmptyText.says}`]),
};

export const flag: Shape = simple("true or false", { type: "boolean" }, (value) => typeof value === "boolean");

export const json: Shape = simple("any JSON", {}, isJson);

export function wholeNumberFrom(minimum: number): Shape {
  const says = `a whole number from ${minimum} on`;
  const fits = (value: unknown) => Number.isSafeInteger(value) && Number(value) >= minimum;
  return simple(says, { type: "integer", minimum }, fits);
}

export function numberFrom(minimum: number): Shape {
  const fits = (value: unknown) => typeof value === "number" && Number.isFinite(value) && value >= minimum;
  return simple(`a number from ${minimum} on`, { type: "number", minimum }, fits);
}

export function oneOf(...words: readonly string[]): Shape {
  const says = words.length === 1 ? JSON.stringify(words[0]) : `one of ${words.join(", ")}`;
  return simple(says, { enum: words }, (value) => typeof value === "string" && words.includes(value));
}

/** Narrows a shape by a rule of its own, which answers with what is wrong. */
export function narrowed(shape: Shape, findProblem: (value: Json) => string | undefined): Shape {
  return {
    ...shape,
    problems: (value, at) => {
      const problems = shape.problems(value, at);
      if (problems.length > 0) return problems;
      // The shape fits, and shapes fit JSON only.
      const problem = findProblem(value as Json);
      return problem === undefined ? [] : [`${at}: ${problem}`];
    },
  };
}

export function listOf(item: Shape): Shape {
  return {
    says: `a list, each item ${item.says}`,
    schema: { type: "array", items: item.schema },
    problems: (value, at) =>
      Array.isArray(value)
        ? value.flatMap((entry, index) => item.problems(entry, `${at}[${index}]`))
        : [`${at} is a list, not ${describeType(value)}`],
  };
}

/** An object with any keys, whose values have one shape. */
export function recordOf(item: Shape): Shape {
  return {
    says: `an object, each value ${item.says}`,
    schema: { type: "object", additionalProperties: item.schema },
    problems: (value, at) =>
      isPlainObject(value)
        ? Object.entries(value).flatMap(([key, entry]) => item.problems(entry, `${at}.${key}`))
        : [`${at} is an object, not ${describeType(value)}`],
  };
}

function simple(says: string, schema: JsonObject, fits: (value: unknown) => boolean): Shape {
  return {
    says,
    schema,
    problems: (value, at) => (fits(value) ? [] : [`${at} is ${says}, not ${describe(value)}`]),
  };
}

export function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const LONGEST_SHOWN = 60;

/** A value for a message: what it is, and for a short text or number itself. */
function describe(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  return typeof value === "string" && value.length <= LONGEST_SHOWN ? JSON.stringify(value) : describeType(value);
}

/** What a value is, without what is in it: where an object was expected, anything may be a secret. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  switch (typeof value) {
    case "string":
      return "a text";
    case "object":
      return "an object";
    default:
      return `a ${typeof value}`;
  }
}
