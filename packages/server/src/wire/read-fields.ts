import type { Json } from "@reprise/state";
import { badRequest } from "../http/http-refusal.ts";
import type { JsonBody } from "../http/read-body.ts";

/** The names a field may have in a body, the first being the one used in messages. */
export type FieldNames = { readonly [field: string]: readonly string[] };

/** A longer name is not a typing mistake. */
const MAX_NAME = 200;

/**
 * Reads the fields of a body by any of their names. Null is as good as left out. A field under two names is refused, and so is one of an
 * unknown name, unless its name is taken by `onUnknown`: it would be a typing error that goes unnoticed.
 */
export function readFields<Names extends FieldNames>(
  body: JsonBody,
  names: Names,
  onUnknown?: (name: string, known: readonly string[]) => void,
): { [Key in keyof Names]?: Json } {
  const known = new Map(Object.entries(names).flatMap(([field, spellings]) => spellings.map((name) => [name, field])));
  const fields: { [Key in keyof Names]?: Json } = {};
  for (const [name, value] of Object.entries(body)) {
    const field: keyof Names | undefined = known.get(name);
    if (field === undefined) {
      const isName = name.length <= MAX_NAME;
      if (onUnknown === undefined || !isName) throw badRequest(`unknown field ${JSON.stringify(name.slice(0, 80))}`);
      onUnknown(name, [...known.keys()]);
      continue;
    }
    if (value === null) continue;
    if (fields[field] !== undefined) throw badRequest(`${names[field]?.join(", ")} are the same field; send one`);
    fields[field] = value;
  }
  return fields;
}

/** Refuses what is no list. */
export function listOf(name: string, value: Json | undefined): readonly Json[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw badRequest(`${name} is not a list`);
  return value;
}

/** Refuses what is no text, or an empty one. */
export function textOf(name: string, value: Json | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "string") throw badRequest(`${name} is not a text`);
  if (value.trim() === "") throw badRequest(`${name} cannot be empty`);
  return value;
}

/** Refuses what is no whole number. */
export function wholeNumberOf(name: string, value: Json | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== "number" || !Number.isSafeInteger(value)) throw badRequest(`${name} is not a whole number`);
  return value;
}

/** Refuses what is neither true nor false. */
export function flagOf(name: string, value: Json | undefined): boolean | undefined {
  if (value === undefined || typeof value === "boolean") return value;
  throw badRequest(`${name} must be true or false`);
}
