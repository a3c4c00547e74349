import { type ModelPool, RepriseError } from "@reprise/contracts";
import {
  isPlainObject,
  listOf,
  narrowed,
  needed,
  nonEmptyText,
  numberFrom,
  objectOf,
  optional,
  type Shape,
} from "@reprise/contracts/shape";
import type { Json } from "@reprise/state";
import { copyJson } from "../json/copy-json.ts";
import { freezeDeep } from "../json/freeze-deep.ts";
import { sayProblem } from "./say-problem.ts";

const weight = narrowed(numberFrom(0), (value) => (Number(value) > 0 ? undefined : "a weight is above 0"));
const member = objectOf<ModelPool["pool"][number]>({ model: needed(nonEmptyText), weight: optional(weight) });

/** The shape of a pool, for readers of documents that contain some. */
export const modelPoolShape: Shape<ModelPool> = objectOf<ModelPool>({
  id: needed(nonEmptyText),
  pool: needed(narrowed(listOf(member), findMemberProblem)),
});

export function isModelPool(model: unknown): model is { readonly pool: unknown } {
  return isPlainObject(model) && "pool" in model;
}

/** Makes a pool of what people write. Throws `INVALID_DEFINITION` with every problem. */
export function readModelPool(input: { readonly pool: unknown }): ModelPool {
  const problems = modelPoolShape.problems(input, []).map(sayProblem);
  if (problems.length > 0) {
    throw new RepriseError("INVALID_DEFINITION", `A model pool is not well formed: ${problems.join("; ")}.`, {
      details: { problems },
    });
  }
  // Checked by its shape. A copy, because the caller may continue writing to the original.
  return freezeDeep(copyJson(input as unknown as Json)) as Json & ModelPool;
}

function findMemberProblem(pool: Json): string | undefined {
  if (!Array.isArray(pool) || pool.length === 0) return "a pool has at least one model";
  const ids = pool.map((each: Json) => (isPlainObject(each) ? each.model : undefined));
  const repeated = ids.filter((id, index) => ids.indexOf(id) !== index);
  return repeated.length === 0 ? undefined : `${JSON.stringify(repeated[0])} is in it twice; give it a higher weight`;
}
