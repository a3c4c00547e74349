import { toStoredNames } from "@reprise/contracts/shape";
import { isJson, type JsonObject } from "@reprise/state";
import type { Config, ConfigFile } from "./config.ts";
import { type ConfigProblem, configInvalid, describeProblem, problemAt } from "./config-problem.ts";
import { CONFIG_SHAPE } from "./config-shape.ts";

/** The JSON Schema (draft 2020-12) of the configuration file. */
export function configSchema(): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Reprise configuration",
    ...CONFIG_SHAPE.schema,
  };
}

/**
 * Reads a configuration, in snake_case or camelCase, and checks what can be checked without knowing what exists in code. Throws
 * `CONFIG_INVALID` whose details list every problem.
 */
export function readConfig(given: unknown): Config {
  const value = toStoredNames(given, CONFIG_SHAPE.schema);
  const problems = findConfigProblems(value);
  if (problems.length > 0) throw configInvalid(problems);
  // Its shape was just checked.
  const { $schema: _schema, agents = [], models = {}, providers = {}, ...rest } = value as ConfigFile;
  return { ...rest, agents, models, providers };
}

function findConfigProblems(value: unknown): readonly ConfigProblem[] {
  if (!isJson(value)) return [{ path: "", message: "The configuration is not JSON, or nests too deep." }];
  return [...CONFIG_SHAPE.problems(value, []).map(describeProblem), ...findRepeatedIds(value)];
}

/** A schema cannot say this: no two agents of a list have one id. */
function findRepeatedIds(value: unknown): readonly ConfigProblem[] {
  const { agents } = (value ?? {}) as { readonly agents?: unknown };
  if (!Array.isArray(agents)) return [];
  const ids = agents.map((agent: unknown) => (agent as { readonly id?: unknown } | null)?.id);
  return ids.flatMap((id, index) => {
    const first = ids.indexOf(id);
    if (typeof id !== "string" || first === index) return [];
    return [problemAt(["agents", index, "id"], ` is ${JSON.stringify(id)}, as that of \`agents[${first}]\``)];
  });
}
