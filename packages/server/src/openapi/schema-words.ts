import type { Json } from "@reprise/state";
import type { JsonSchema } from "./operation.ts";

// The few words in which the schemas of this server are written.

export const TEXT: JsonSchema = { type: "string" };
export const FLAG: JsonSchema = { type: "boolean" };
export const NUMBER: JsonSchema = { type: "integer" };
export const COUNT: JsonSchema = { type: "integer", minimum: 0 };
export const TIME: JsonSchema = { type: "integer", description: "Milliseconds since 1970" };
/** Any JSON at all. */
export const ANYTHING: JsonSchema = {};
/** Any JSON object. */
export const OBJECT: JsonSchema = { type: "object" };

type Fields = { readonly [name: string]: JsonSchema };

/** An object with these fields; those of the second kind may be missing. */
export function objectOf(required: Fields, optional: Fields = {}): JsonSchema {
  const names = Object.keys(required);
  return { type: "object", properties: { ...required, ...optional }, ...(names.length > 0 && { required: names }) };
}

/** The same for request bodies: an unknown field is refused. */
export function bodyOf(required: Fields, optional: Fields = {}): JsonSchema {
  return { ...objectOf(required, optional), additionalProperties: false };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: "array", items };
}

/** A page of a longer list. It is limited in bytes too: the next one begins at `offset` + the number of items. */
export function pageOf(items: JsonSchema, more: Readonly<Record<string, JsonSchema>> = {}): JsonSchema {
  return objectOf({ items: listOf(items), total: COUNT, has_more: FLAG, ...more });
}

export function oneOf(...values: readonly Json[]): JsonSchema {
  return { enum: values };
}

export function anyOf(...schemas: readonly JsonSchema[]): JsonSchema {
  return { anyOf: schemas };
}

export function orNull(schema: JsonSchema): JsonSchema {
  return anyOf(schema, { type: "null" });
}

/** One schema under any of its field's names. */
export function aliases(names: readonly string[], schema: JsonSchema): Fields {
  return Object.fromEntries(names.map((name) => [name, schema]));
}

/** The parameters of every list. */
export const PAGE_QUERY: Fields = {
  offset: { type: "integer", default: 0 },
  limit: { type: "integer", default: 50, description: "Clamped to 1 to 200; a page also ends at 1 MiB" },
};
