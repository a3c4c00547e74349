import { isPlainObject } from "@reprise/contracts/shape";
import { type Agent, type Definitions, readAgentSpec } from "@reprise/runtime";
import type { Config } from "./config.ts";
import { formatPath, isWithin } from "./config-path.ts";
import type { ConfigPorts } from "./config-ports.ts";
import { attempt, type ConfigProblem, configInvalid } from "./config-problem.ts";
import { createDefinitions } from "./create-definitions.ts";
import { findNotInstalled } from "./not-installed.ts";
import { readConfig } from "./read-config.ts";
import { standInModel, standInProvider } from "./try-build.ts";

/** A configuration that was checked as a whole, and what a runtime makes of it. */
export interface CheckedConfig {
  readonly config: Config;
  readonly definitions: Definitions;
  /** What the configuration names and this installation does not have; everything else works. */
  readonly warnings: readonly ConfigProblem[];
}

/**
 * Reads a configuration and makes of it what a runtime takes. Throws `CONFIG_INVALID` with every problem of both: entries that are
 * well formed are held against what there is also when others are not.
 */
export function checkConfig(value: unknown, ports: ConfigPorts): CheckedConfig {
  const read = attempt(() => readConfig(value));
  const config = read.result;
  if (config !== undefined) {
    return { config, definitions: createDefinitions(config, ports), warnings: findNotInstalled(config, ports) };
  }
  throw configInvalid([...read.problems, ...findFurther(value, read.problems, ports)]);
}

/** What the entries that are well formed name and is not there. */
function findFurther(value: unknown, problems: readonly ConfigProblem[], ports: ConfigPorts): readonly ConfigProblem[] {
  if (!isPlainObject(value) || problems.some(({ path }) => path === "")) return [];
  const isSound = (path: string): boolean => !problems.some((problem) => isWithin(problem.path, path));
  const agents = Array.isArray(value.agents) ? value.agents.map((agent: unknown, index) => ({ agent, index })) : [];
  const kept = agents.filter(({ index }) => isSound(formatPath(["agents", index])));
  const models = divide(value, "models", isSound);
  const providers = divide(value, "providers", isSound);
  const plugins = isSound("plugins") ? { plugins: value.plugins } : {};
  const sound = {
    agents: kept.map(({ agent }) => agent),
    models: models.sound,
    providers: providers.sound,
    ...plugins,
  };
  const broken = agents.flatMap(({ agent }) => (kept.some((other) => other.agent === agent) ? [] : idOf(agent)));
  const { problems: further } = attempt(() =>
    createDefinitions(readConfig(withoutAbsent(sound)), {
      ...ports,
      // What is not well formed is there all the same.
      agents: [...(ports.agents ?? []), ...broken.map(standInAgent)],
      models: [...(ports.models ?? []), ...models.broken.map(standInModel)],
      providers: [...(ports.providers ?? []), ...providers.broken.map(standInProvider)],
    }),
  );
  return further.map(({ path, message }) => ({
    path: path.replace(/^agents\[(\d+)\]/, (_, index) => `agents[${kept[Number(index)]?.index}]`),
    message,
  }));
}

/** The entries of a section that are well formed, and the names of the others. */
function divide(
  document: { readonly [key: string]: unknown },
  section: "models" | "providers",
  isSound: (path: string) => boolean,
): { readonly sound: object; readonly broken: readonly string[] } {
  const entries = isPlainObject(document[section]) ? Object.entries(document[section]) : [];
  const isKept = ([id]: readonly [string, unknown]): boolean => isSound(formatPath([section, id]));
  return {
    sound: Object.fromEntries(entries.filter(isKept)),
    broken: entries.filter((entry) => !isKept(entry)).map(([id]) => id),
  };
}

function idOf(agent: unknown): readonly string[] {
  return isPlainObject(agent) && typeof agent.id === "string" && agent.id.trim() !== "" ? [agent.id] : [];
}

function standInAgent(id: string): Agent {
  return { id, spec: readAgentSpec({ id }), tools: [], plugins: [], stopPolicies: [], model: standInModel(id) };
}

function withoutAbsent(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
