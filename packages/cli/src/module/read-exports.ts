import { findNearest, isPlainObject } from "@reprise/contracts/shape";
import type { Agent, Definitions, Runtime } from "@reprise/runtime";
import type { RuntimeOptions } from "reprise";
import { EXIT_CODES } from "../output/exit-code.ts";
import { CommandFailure, type Problem } from "../output/failure.ts";

/** What a module may say beside its definitions. Tenant, instance and the rest of the environment are the command line's. */
type ModuleSettings = Pick<
  RuntimeOptions,
  "store" | "blobs" | "limits" | "tokenCounter" | "beforeModelAttempt" | "onToolError"
>;

/** The options of `createRuntime` that a module exports. */
export type ModuleOptions = Definitions & ModuleSettings;

/** A module with agents, as it was imported. */
export interface AgentModule {
  /** Its absolute path. */
  readonly file: string;
  readonly options: ModuleOptions;
  /** A runtime that the module made by itself; it is used as it is. */
  readonly runtime?: Runtime;
}

const OPTIONS: Readonly<Record<keyof ModuleOptions, true>> = {
  agents: true,
  tools: true,
  models: true,
  providers: true,
  plugins: true,
  stopPolicies: true,
  backends: true,
  programs: true,
  contextPlugins: true,
  store: true,
  blobs: true,
  limits: true,
  tokenCounter: true,
  beforeModelAttempt: true,
  onToolError: true,
};

/** The named exports that are options. Any other option is said in the default export, where no helper is taken for one. */
const NAMED = ["agents", "tools", "plugins", "store"] as const;

const EXPECTED = `Export agents, a default object of options, or a runtime:
  export const assistant = defineAgent({ … });
  export default { agents: [assistant], tools: [], plugins: [], store };
  export const runtime = await createRuntime({ agents: [assistant] });`;

/** Reads what a module exports. Throws a `CommandFailure` that lists what was found when there is nothing to run. */
export async function readExports(file: string, name: string, exported: object): Promise<AgentModule> {
  const entries: Entry[] = [];
  // `export const runtime = createRuntime(…)` exports a promise. Other promises are not ours to wait for.
  for (const [key, value] of Object.entries(exported)) entries.push([key, PROMISED.has(key) ? await value : value]);
  const runtimes = [...new Set(entries.flatMap(([, value]) => (isRuntime(value) ? [value] : [])))];
  const [runtime, other] = runtimes;
  if (other !== undefined) throw refuse(`${name} exports ${runtimes.length} runtimes.`, "Export one of them.");
  if (runtime !== undefined) return { file, options: {}, runtime };
  const options = readOptions(name, entries);
  const agents = collectAgents(name, entries, options);
  if (agents.length === 0) throw exportsNothing(name, entries);
  return { file, options: { ...options, agents } };
}

type Entry = readonly [name: string, value: unknown];

const PROMISED: ReadonlySet<string> = new Set(["default", "runtime", "store"]);

function readOptions(name: string, entries: readonly Entry[]): ModuleOptions {
  const byName = Object.fromEntries(entries);
  const own = isPlainObject(byName.default) && !isAgent(byName.default) ? byName.default : {};
  const problems = Object.keys(own).flatMap((key) => (Object.hasOwn(OPTIONS, key) ? [] : [unknownOption(key)]));
  const named = NAMED.flatMap((key) => (byName[key] === undefined ? [] : [[key, byName[key]] as const]));
  const options: Record<string, unknown> = { ...own };
  for (const [key, value] of named) {
    const both = Array.isArray(options[key]) && Array.isArray(value);
    if (options[key] !== undefined && options[key] !== value && !both)
      problems.push({ path: key, message: "is exported by its name and in the default export" });
    options[key] = both ? [...new Set([...(options[key] as unknown[]), ...value])] : value;
  }
  for (const key of ["agents", "tools", "plugins"] as const) {
    if (options[key] === undefined || Array.isArray(options[key])) continue;
    problems.push({ path: key, message: `must be an array, and is ${describeValue(options[key])}` });
  }
  if (problems.length > 0)
    throw new CommandFailure(`${name} exports options that cannot be used:`, {
      exitCode: EXIT_CODES.misused,
      code: "MODULE_INVALID",
      problems,
      remedy: EXPECTED,
    });
  // Every key is one of the options, and lists are lists; what is in them is checked when the runtime is built.
  return options as ModuleOptions;
}

function unknownOption(key: string): Problem {
  const nearest = findNearest(key, Object.keys(OPTIONS));
  const known = `Options are ${Object.keys(OPTIONS).join(", ")}.`;
  return {
    path: `default.${key}`,
    message: `is not an option. ${nearest === undefined ? known : `Did you mean ${JSON.stringify(nearest)}?`}`,
  };
}

/** Every agent of a module once, however often it is exported. Two agents with one id are a mistake. */
function collectAgents(name: string, entries: readonly Entry[], { agents = [] }: ModuleOptions): readonly Agent[] {
  const listed = agents.map((agent, index): Entry => [`agents[${index}]`, agent]);
  const stranger = listed.find(([, value]) => !isAgent(value));
  if (stranger !== undefined)
    throw refuse(`${stranger[0]} of ${name} must be an agent, and is ${describeValue(stranger[1])}.`, EXPECTED);
  const found = new Map<string, { readonly agent: Agent; readonly key: string }>();
  for (const [key, agent] of [...listed, ...entries]) {
    if (!isAgent(agent)) continue;
    const known = found.get(agent.id);
    if (known !== undefined && known.agent !== agent) {
      const message = `${name} exports two agents with the id ${JSON.stringify(agent.id)}: ${known.key} and ${key}.`;
      throw refuse(message, "Give each agent an id of its own.");
    }
    found.set(agent.id, known ?? { agent, key });
  }
  return [...found.values()].map(({ agent }) => agent);
}

function exportsNothing(name: string, entries: readonly Entry[]): CommandFailure {
  const found = entries.map(([path, value]) => ({ path, message: describeValue(value) }));
  const message = found.length === 0 ? `${name} exports nothing.` : `${name} exports no agent. It exports:`;
  return refuse(message, EXPECTED, found);
}

function refuse(message: string, remedy: string, problems: readonly Problem[] = []): CommandFailure {
  return new CommandFailure(message, { exitCode: EXIT_CODES.misused, code: "MODULE_INVALID", remedy, problems });
}

function isRuntime(value: unknown): value is Runtime {
  return isObject(value) && isObject(value.threads) && ["start", "close", "redefine"].every((key) => key in value);
}

function isAgent(value: unknown): value is Agent {
  return isObject(value) && typeof value.id === "string" && isObject(value.spec) && Array.isArray(value.tools);
}

/** What an export is, in words. */
function describeValue(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "function") return value.toString().startsWith("class") ? "a class" : "a function";
  if (!isObject(value)) return value === undefined ? "undefined" : `a ${typeof value}`;
  if (isAgent(value)) return "an agent";
  if (isObject(value.descriptor) && typeof value.execute === "function") return "a tool";
  if (typeof value.id === "string" && isObject(value.hooks)) return "a plugin";
  if (typeof value.then === "function") return "a promise";
  return "an object";
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
