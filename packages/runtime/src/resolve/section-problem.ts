import type { Json, JsonObject } from "@reprise/state";
import { compileSchema, type Validate } from "../define/json-schema.ts";

// Schemas of sections never change. Held by the schema itself, they cannot be pushed out by those of a thousand tools.
const validators = new WeakMap<JsonObject, Validate>();

/** What is wrong with a section, or undefined when it fits. Throws `INVALID_DEFINITION` when the schema is none. */
export function findSectionProblem(schema: JsonObject, section: Json): string | undefined {
  const known = validators.get(schema);
  if (known !== undefined) return known(section);
  const validate = compileSchema(schema);
  validators.set(schema, validate);
  return validate(section);
}
