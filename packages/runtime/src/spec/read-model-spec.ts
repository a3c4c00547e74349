import { type ModelSpec, RepriseError } from "@reprise/contracts";
import { describeType, isPlainObject, type Shape, type ShapeProblem, toStoredNames } from "@reprise/contracts/shape";
import type { Json, JsonObject } from "@reprise/state";
import { copyJson } from "../json/copy-json.ts";
import { freezeDeep } from "../json/freeze-deep.ts";
import { type FieldTable, readFields, shapeOf } from "./field-table.ts";
import { MODEL_SPEC_FIELDS } from "./model-spec-fields.ts";
import { wordsOf } from "./say-problem.ts";

const TABLE: FieldTable = { says: "a model spec", rows: MODEL_SPEC_FIELDS, findMore: findSizeProblems };

/** The shape of a model spec, for readers of documents that contain some. */
export const modelSpecShape: Shape<JsonObject> = shapeOf(TABLE);

/** Makes a model spec of what people write. Throws `INVALID_DEFINITION` with every problem. */
export function readModelSpec(input: unknown): ModelSpec {
  const named = toStoredNames(input, modelSpecShape.schema);
  if (!isPlainObject(named)) throw invalidSpec(undefined, [`a spec must be an object (got ${describeType(input)})`]);
  const { fields, problems } = readFields(TABLE, named);
  if (problems.length > 0) throw invalidSpec(named.id, problems.map(wordsOf(input)));
  // Every field was checked by its row of the table. A copy, because the caller may continue writing to the original.
  return freezeDeep(copyJson(fields)) as Json & ModelSpec;
}

function findSizeProblems(fields: { readonly [name: string]: Json }): readonly ShapeProblem[] {
  const { context_window, max_output_tokens } = fields;
  if (typeof context_window !== "number" || typeof max_output_tokens !== "number") return [];
  if (max_output_tokens <= context_window) return [];
  const says = ` is ${max_output_tokens}, more than the \`context_window\` of ${context_window}`;
  return [{ path: ["max_output_tokens"], says }];
}

function invalidSpec(id: unknown, problems: readonly string[]): RepriseError {
  const who = typeof id === "string" ? `The spec of model ${JSON.stringify(id)}` : "A model spec";
  return new RepriseError("INVALID_DEFINITION", `${who} is not well formed: ${problems.join("; ")}.`, {
    details: { problems, ...(typeof id === "string" && { model_id: id }) },
  });
}
