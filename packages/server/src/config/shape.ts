import { isJson, type Json, type JsonObject } from "@reprise/state";
import type { ConfigProblem } from "./config-problem.ts";
import { itemIn, keyIn, type Place, problemAt } from "./place.ts";

/**
 * What a value must look like: for people, as JSON Schema, and as a check that says the same as the schema. The type is the one
 * a value has that passed, so that a description and the interface it is for cannot differ.
 */
export interface Shape<Value> {
  /** In a sentence: `a text that is not blank`. */
  readonly says: string;
  readonly schema: JsonObject;
  /** Everything that is wrong with a value; empty when it fits. */
  problems(value: unknown, place: Place): readonly ConfigProblem[];
  /** For the compiler alone. */
  readonly fits?: Value;
}

/** A text that is not blank. */
export const filledText: Shape<string> = textLike("a text that is not blank", "\\S");

export const flag: Shape<boolean> = simple("true or false", { type: "boolean" }, (value) => typeof value === "boolean");

export const anyJson: Shape<Json> = simple("any JSON", {}, isJson);

export const webAddress: Shape<string> = textLike("an address that begins with http:// or https://", "^https?://\\S+$");

/** A text that a pattern fits. Messages say what was wanted, not what was written: anything may be a secret. */
export function textLike(says: string, pattern: string): Shape<string> {
  const expression = new RegExp(pattern, "u");
  const fits = (value: unknown): boolean => typeof value === "string" && expression.test(value);
  return simple(says, { type: "string", pattern }, fits);
}

export function wholeNumberFrom(minimum: number): Shape<number> {
  const fits = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= minimum;
  const maximum = Number.MAX_SAFE_INTEGER;
  return simple(`a whole number from ${minimum} on`, { type: "integer", minimum, maximum }, fits);
}

export function oneOf<Word extends string>(...words: readonly Word[]): Shape<Word> {
  const says = words.length === 1 ? JSON.stringify(words[0]) : `one of ${words.join(", ")}`;
  return simple(says, { enum: words }, (value) => words.some((word) => word === value));
}

export function listOf<Item>(item: Shape<Item>): Shape<readonly Item[]> {
  return {
    says: `a list, each item ${item.says}`,
    schema: { type: "array", items: item.schema },
    problems: (value, place) =>
      Array.isArray(value)
        ? value.flatMap((entry, index) => item.problems(entry, itemIn(place, index)))
        : [problemAt(place, `is a list, not ${describeType(value)}`)],
  };
}

/** An object with keys of one form, whose values have one shape. */
export function recordOf<Item>(
  item: Shape<Item>,
  key: Shape<string> = filledText,
): Shape<Readonly<Record<string, Item>>> {
  return {
    says: `an object, each key ${key.says}, each value ${item.says}`,
    schema: { type: "object", propertyNames: key.schema, additionalProperties: item.schema },
    problems: (value, place) => {
      if (!isPlainObject(value)) return [problemAt(place, `is an object, not ${describeType(value)}`)];
      return Object.entries(value).flatMap(([name, entry]) => {
        const here = keyIn(place, name);
        const misnamed = key.problems(name, here).map(({ path }) => ({ path, message: `A key is ${key.says}.` }));
        return [...misnamed, ...item.problems(entry, here)];
      });
    },
  };
}

/** The first of two where it is a text, the second where it is not. */
export function textOr<Other>(text: Shape<string>, other: Shape<Other>): Shape<string | Other> {
  return {
    says: `${text.says}, or ${other.says}`,
    schema: { anyOf: [text.schema, other.schema] },
    problems: (value, place) => (typeof value === "string" ? text : other).problems(value, place),
  };
}

function simple<Value>(says: string, schema: JsonObject, fits: (value: unknown) => boolean): Shape<Value> {
  return {
    says,
    schema,
    problems: (value, place) => {
      if (fits(value)) return [];
      // That another text was wanted is all that can be said of a text.
      const isOtherText = typeof value === "string" && (schema.type === "string" || "enum" in schema);
      return [problemAt(place, `is ${says}${isOtherText ? "" : `, not ${describeType(value)}`}`)];
    },
  };
}

export function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isJsonObject(value: Json | undefined): value is JsonObject {
  return isPlainObject(value);
}

/** What a value is, without what is in it. */
export function describeType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  return typeof value === "string" ? "a text" : `a ${typeof value}`;
}
