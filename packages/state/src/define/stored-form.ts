import { isObject, type Json, type JsonObject, ownValue, putOwn } from "../document/json.ts";
import { invalidOperation } from "../document/state-error.ts";
import type { Field, FieldPlan } from "./field-plan.ts";

/** Turns a state into what the document holds: keys renamed, flattened fields lifted, skipped ones left out. */
export function toStored(plan: FieldPlan, value: Json): Json {
  if (plan.byName.size === 0 || !isObject(value)) return value;
  const stored: Record<string, Json> = {};
  for (const [name, item] of Object.entries(value)) {
    const field = plan.byName.get(name);
    if (field === undefined) putOwn(stored, name, item);
    else if (field.kind === "flatten") Object.assign(stored, toStoredFlattened(field, item));
    else if (field.kind !== "skip") putOwn(stored, field.key, toStored(field.plan, item));
  }
  return stored;
}

/** A flattened object shares its parent's keys, so an undeclared key could not be told from the parent's own. */
export function toStoredFlattened(field: Field, value: Json): JsonObject {
  const stray = isObject(value) ? Object.keys(value).find((name) => !field.plan.byName.has(name)) : undefined;
  const stored = toStored(field.plan, value);
  if (stray === undefined && isObject(stored)) return stored;
  const reason = stray === undefined ? "must be an object" : `has no field "${stray}" in its initial value or options`;
  throw invalidOperation(`the flattened field "${field.name}" ${reason}`);
}

/** Turns what the document holds into a state, with defaults where fields are missing. */
export function fromStored(plan: FieldPlan, stored: Json): Json {
  if (plan.byName.size === 0 || !isObject(stored)) return stored;
  const value: Record<string, Json> = {};
  const used = new Set<string>();
  readFields(plan, stored, value, used);
  for (const [key, item] of Object.entries(stored)) {
    if (!used.has(key) && !plan.byName.has(key)) putOwn(value, key, item);
  }
  return value;
}

/** Reads the fields of a plan into `value` and notes the keys they are stored under. */
function readFields(plan: FieldPlan, stored: JsonObject, value: Record<string, Json>, used: Set<string>): void {
  for (const field of plan.byName.values()) {
    if (field.kind === "flatten") {
      const inner: Record<string, Json> = {};
      readFields(field.plan, stored, inner, used);
      putOwn(value, field.name, inner);
      continue;
    }
    used.add(field.key);
    const found = field.kind === "skip" ? undefined : ownValue(stored, field.key);
    if (found !== undefined) putOwn(value, field.name, fromStored(field.plan, found));
    // Defaults were checked with the definition, so this one is JSON.
    else if (field.default !== undefined) putOwn(value, field.name, field.default() as Json);
  }
}
