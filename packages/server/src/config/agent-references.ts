import type { AgentSpec } from "@reprise/contracts";
import type { ShapePath } from "@reprise/contracts/shape";
import type { Config } from "./config.ts";
import { type ConfigProblem, problemAt } from "./config-problem.ts";
import { unknownName } from "./known-names.ts";
import { isKnownModel, type Surroundings, unknownModel } from "./make-models.ts";

/** Ids of everything an agent may name. */
export interface KnownNames extends Surroundings {
  readonly pluginIds: readonly string[];
  readonly stopPolicyIds: readonly string[];
  readonly backendIds: readonly string[];
}

/** Everything an agent names that is not there. Resolving it would stop at the first. */
export function findReferenceProblems(
  config: Config,
  index: number,
  spec: AgentSpec,
  known: KnownNames,
): readonly ConfigProblem[] {
  const at = (field: string): ShapePath => ["agents", index, writtenAs(config, index, field)];
  if (spec.endpoint !== undefined) return findBackendProblems(spec.endpoint, at("endpoint"), known.backendIds);
  const models: readonly (readonly [string, ShapePath])[] = [
    ...(spec.model === undefined ? [] : [[spec.model, at("model")] as const]),
    ...spec.fallback_models.map((fallback, item) => {
      const path = [...at("fallback_models"), item];
      if (typeof fallback === "string") return [fallback, path] as const;
      const { provider, model } = fallback;
      return [provider === undefined ? model : `${provider}/${model}`, [...path, "model"]] as const;
    }),
  ];
  const listed = (field: string, ids: readonly string[], those: readonly string[]): readonly ConfigProblem[] =>
    ids.flatMap((id, item) => (those.includes(id) ? [] : [unknownName([...at(field), item], id, those)]));
  return [
    ...models.flatMap(([id, path]) => (isKnownModel(id, known) ? [] : [unknownModel(path, id, known)])),
    ...listed("plugin_ids", spec.plugin_ids, known.pluginIds),
    ...listed("stop_condition_ids", spec.stop_condition_ids, known.stopPolicyIds),
  ];
}

function findBackendProblems(
  { backend = "a2a" }: NonNullable<AgentSpec["endpoint"]>,
  path: ShapePath,
  known: readonly string[],
): readonly ConfigProblem[] {
  if (known.includes(backend)) return [];
  return [problemAt(path, ` needs the backend ${JSON.stringify(backend)}, which is not there. Give it in code.`)];
}

const ALIASES: Readonly<Record<string, string>> = { model: "model_id", plugin_ids: "behavior_ids" };

/** The name under which a field stands in the document. */
export function writtenAs({ agents }: Config, index: number, field: string): string {
  const entry = agents[index] ?? {};
  const alias = ALIASES[field];
  return alias !== undefined && Object.hasOwn(entry, alias) ? alias : field;
}
