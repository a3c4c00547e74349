import type { AgentSpec, MediaModality, Modality, ModelSpec } from "@reprise/contracts";
import { unresolvable } from "./resolve-errors.ts";
import { hasRetry } from "./retry.ts";

/**
 * Refuses what an agent with a generative model cannot have: more than one thing to make, models that stand in for it, retries, or a
 * shape for its answer. A call like that is paid in any case, and is made once.
 */
export function checkGenerative(spec: AgentSpec, model: ModelSpec): void {
  const problem = findProblem(spec, model);
  if (problem !== undefined) {
    throw unresolvable("INVALID_AGENT_SPEC", spec.id, `its model ${JSON.stringify(model.id)} is generative${problem}.`);
  }
}

function findProblem(spec: AgentSpec, model: ModelSpec): string | undefined {
  const made = madeBy(model);
  if (made.length === 0)
    return ", and its output is not declared. Give it one of image, audio, video as `modalities.output`";
  if (made.length > 1)
    return `, and would make ${made.join(" and ")}. One run makes one: name one in \`modalities.output\``;
  if (spec.fallback_models.length > 0) return ": nothing stands in for it. Leave `fallback_models` out";
  if (hasRetry(spec)) return ": it is asked once. Leave retries out";
  if (spec.output_schema !== undefined) return ": what it makes has no `output_schema`. Leave it out";
  return undefined;
}

/** What a generative model makes, beside the text it may add. */
export function madeBy({ modalities }: ModelSpec): readonly MediaModality[] {
  return (modalities?.output ?? []).filter(isMedia);
}

function isMedia(modality: Modality): modality is MediaModality {
  return modality === "image" || modality === "audio" || modality === "video";
}
