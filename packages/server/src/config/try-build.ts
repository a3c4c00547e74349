import { type ErrorCode, type LanguageModel, type ModelProvider, RepriseError } from "@reprise/contracts";
import { type BuildProblem, buildRegistries, type Definitions } from "@reprise/runtime";
import { writtenAs } from "./agent-references.ts";
import type { Config } from "./config.ts";
import { formatPath } from "./config-path.ts";
import type { ConfigProblem } from "./config-problem.ts";

/** Registers and resolves everything as a runtime would, and reports every problem with its path. */
export function tryBuild(config: Config, definitions: Definitions): readonly ConfigProblem[] {
  try {
    buildRegistries(definitions);
    return [];
  } catch (error) {
    return locate(config, error);
  }
}

interface Failure {
  readonly agent_id: string;
  readonly code: ErrorCode;
  readonly message: string;
}

function locate(config: Config, error: unknown): readonly ConfigProblem[] {
  if (RepriseError.is(error, "VALIDATION_FAILED")) {
    // What the builder's own error holds.
    const failures = error.details.failures as readonly Failure[];
    return failures.map(({ agent_id, code, message }) => ({ path: pathOfFailure(config, agent_id, code), message }));
  }
  if (RepriseError.is(error, "BUILD_FAILED")) {
    // What the builder's own error holds.
    const problems = error.details.problems as readonly BuildProblem[];
    return problems.map(({ registry, id, message }) => ({ path: pathOfProblem(config, registry, id), message }));
  }
  throw error;
}

/** The field a failure is about, as far as its code tells. */
const FIELDS: { readonly [Code in ErrorCode]?: string } = {
  MODEL_NOT_FOUND: "model",
  PROVIDER_NOT_FOUND: "model",
  PROVIDER_NOT_READY: "model",
  PLUGIN_NOT_FOUND: "plugin_ids",
  PLUGIN_CONFLICT: "plugin_ids",
  INVALID_PLUGIN_CONFIG: "sections",
  STOP_POLICY_NOT_FOUND: "stop_condition_ids",
  AGENT_NOT_FOUND: "compose",
  COMPOSITION_CYCLE: "compose",
  UNSUPPORTED_REMOTE_BACKEND: "endpoint",
  INVALID_REMOTE_ENDPOINT: "endpoint",
};

function pathOfFailure(config: Config, agentId: string, code: ErrorCode): string {
  const index = config.agents.findIndex(({ id }) => id === agentId);
  // One that exists in code is in no document.
  if (index < 0) return "";
  const field = FIELDS[code];
  return formatPath(["agents", index, ...(field === undefined ? [] : [writtenAs(config, index, field)])]);
}

function pathOfProblem(config: Config, registry: string, id: string | undefined): string {
  if (id === undefined || (registry !== "models" && registry !== "providers")) return "";
  return Object.hasOwn(config[registry], id) ? formatPath([registry, id]) : "";
}

/** Stands where a provider would be that could not be made, so that what needs it is not blamed for that. */
export function standInProvider(id: string): ModelProvider {
  return { id, model: (name) => standInModel(`${id}/${name}`) };
}

/** The same for a model. */
export function standInModel(id: string): LanguageModel {
  return {
    id,
    stream: () => {
      throw new RepriseError("INTERNAL", `The model ${id} only stands in for one while a configuration is checked.`);
    },
  };
}
