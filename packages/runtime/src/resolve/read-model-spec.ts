import { type ModelSpec, RepriseError } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import { freezeDeep } from "../thread/freeze-deep.ts";
import { copyJson } from "../tools/copy-json.ts";
import { readFields, schemaOf } from "./spec/field-table.ts";
import { MODEL_SPEC_FIELDS } from "./spec/model-spec-fields.ts";
import { describeType, isPlainObject } from "./spec/shape.ts";

/** The JSON Schema of model specs as people may write them. */
export function modelSpecSchema(): JsonObject {
  return schemaOf(MODEL_SPEC_FIELDS);
}

/** Makes a model spec of what people write. Throws `INVALID_DEFINITION` with every problem. */
export function readModelSpec(input: unknown): ModelSpec {
  if (!isPlainObject(input)) throw invalidSpec(undefined, [`a spec is an object, not ${describeType(input)}`]);
  const { fields, problems } = readFields(MODEL_SPEC_FIELDS, input);
  const all = [...problems, ...findSizeProblems(fields)];
  if (all.length > 0) throw invalidSpec(input.id, all);
  // Every field was checked by its row of the table. A copy, because the caller may go on writing to the original.
  return freezeDeep(copyJson(fields)) as Json & ModelSpec;
}

function findSizeProblems({ context_window, max_output_tokens }: { readonly [name: string]: Json }): readonly string[] {
  if (typeof context_window !== "number" || typeof max_output_tokens !== "number") return [];
  if (max_output_tokens <= context_window) return [];
  return [`\`max_output_tokens\` is ${max_output_tokens}, more than the \`context_window\` of ${context_window}`];
}

function invalidSpec(id: unknown, problems: readonly string[]): RepriseError {
  const who = typeof id === "string" ? `The spec of model ${JSON.stringify(id)}` : "A model spec";
  return new RepriseError("INVALID_DEFINITION", `${who} is not well formed: ${problems.join("; ")}.`, {
    details: { problems, ...(typeof id === "string" && { model_id: id }) },
  });
}
