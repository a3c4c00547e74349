import { type ModelPool, RepriseError } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import { freezeDeep } from "../thread/freeze-deep.ts";
import { copyJson } from "../tools/copy-json.ts";
import { objectOf } from "./spec/object-shape.ts";
import { isPlainObject, listOf, narrowed, nonEmptyText, numberFrom } from "./spec/shape.ts";

const weight = narrowed(numberFrom(0), (value) => (Number(value) > 0 ? undefined : "a weight is above 0"));
const members = narrowed(listOf(objectOf({ required: { model: nonEmptyText }, optional: { weight } })), (list) =>
  Array.isArray(list) && list.length > 0 ? undefined : "a pool has at least one model",
);
const shape = objectOf({ required: { id: nonEmptyText, pool: members } });

/** The JSON Schema of pools as people may write them. */
export function modelPoolSchema(): JsonObject {
  return shape.schema;
}

export function isModelPool(model: unknown): model is { readonly pool: unknown } {
  return isPlainObject(model) && "pool" in model;
}

/** Makes a pool of what people write. Throws `INVALID_DEFINITION` with every problem. */
export function readModelPool(input: { readonly pool: unknown }): ModelPool {
  const problems = [...shape.problems(input, "pool"), ...findRepeated(input.pool)];
  if (problems.length > 0) {
    throw new RepriseError("INVALID_DEFINITION", `A model pool is not well formed: ${problems.join("; ")}.`, {
      details: { problems },
    });
  }
  // Checked by its shape. A copy, because the caller may go on writing to the original.
  return freezeDeep(copyJson(input as unknown as Json)) as Json & ModelPool;
}

function findRepeated(pool: unknown): readonly string[] {
  if (!Array.isArray(pool)) return [];
  const ids = pool.map((member: unknown) => (isPlainObject(member) ? member.model : undefined));
  const repeated = ids.filter((id, index) => typeof id === "string" && ids.indexOf(id) !== index);
  return repeated.map((id) => `${JSON.stringify(id)} is in it twice; give it a higher weight`);
}
