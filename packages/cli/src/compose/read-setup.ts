import { relative, resolve } from "node:path";
import type { AcpHarness } from "@reprise/backends/acp";
import { camelCase } from "@reprise/contracts/shape";
import type { Agent, Definitions } from "@reprise/runtime";
import { type Config, type ConfigPorts, type ConfigProblem, checkConfig, readConfig } from "@reprise/server/config";
import type { Json } from "@reprise/state";
import { loadModule } from "../module/load-module.ts";
import type { AgentModule } from "../module/read-exports.ts";
import { usageFailure } from "../output/failure.ts";
import type { SettingName } from "../settings/setting-table.ts";
import type { Settings } from "../settings/settings.ts";
import { createPorts } from "./create-ports.ts";
import { SCRIPTED } from "./create-provider.ts";
import { readPace } from "./pace.ts";
import { readDocument } from "./read-document.ts";
import { withWorkflows } from "./read-workflows.ts";

/** What was configured. */
export interface Setup {
  readonly settings: Settings;
  readonly config: Config;
  /** The configuration's file, when it is from one. */
  readonly file?: string;
  /** The module that was named, imported. */
  readonly module?: AgentModule;
}

/** The same with what can be run, and with what it is completed when it changes. */
export interface WholeSetup extends Setup {
  readonly definitions: Definitions;
  readonly ports: ConfigPorts;
  /** What the configuration names and is not installed. */
  readonly warnings: readonly ConfigProblem[];
}

/** Reads the configuration and the module, for commands that need no agents: names and keys are not looked at. */
export async function readSetup(settings: Settings): Promise<Setup> {
  const { value, file } = readDocument(settings);
  const module = await readModule(settings);
  return {
    settings,
    config: readConfig(value),
    ...(file !== undefined && { file }),
    ...(module !== undefined && { module }),
  };
}

/** Reads them and makes the agents, with some of the command line's own and after a change of what they are made from. Throws with everything that is wrong: also unknown names and missing keys. */
export async function readWholeSetup(
  settings: Settings,
  more: readonly Agent[] = [],
  change = (ports: ConfigPorts): ConfigPorts => ports,
): Promise<WholeSetup> {
  const { value, file } = readDocument(settings);
  const module = await readModule(settings);
  const made = await withHarnesses(change(createPorts(settings, value, module?.options)), value);
  const all = { ...made, agents: [...(made.agents ?? []), ...more] };
  const { wordMs } = readPace(settings);
  const ports = await withWorkflows(all, { document: value, file, secret: (name) => settings.named(name), wordMs });
  return {
    settings,
    ports,
    ...checkConfig(value, ports),
    ...(file !== undefined && { file }),
    ...(module !== undefined && { module }),
  };
}

async function readModule(settings: Settings): Promise<AgentModule | undefined> {
  const path = settings.value("agents");
  if (path === undefined) return undefined;
  const module = await loadModule(path);
  assertFlagsCount(settings, module, path);
  return module;
}

/** Flags that count for nothing beside an export of a module, which has decided the same already. */
const DECIDED: Readonly<Record<"agents" | "store" | "runtime", readonly SettingName[]>> = {
  agents: ["tensorzeroUrl"],
  store: ["storageDir", "databaseUrl"],
  runtime: ["storageDir", "databaseUrl", "config", "model", "demo", "instanceId", "tenant"],
};

function assertFlagsCount(settings: Settings, { runtime, options }: AgentModule, path: string): void {
  const exported = { agents: true, store: options.store !== undefined, runtime: runtime !== undefined };
  for (const [what, names] of Object.entries(DECIDED)) {
    const flag = names.find((name) => settings.sourceOf(name) === "flag");
    // The keys of one are the keys of the other.
    if (flag === undefined || !exported[what as keyof typeof DECIDED]) continue;
    throw usageFailure(`${settings.flagOf(flag)} has no effect, because ${path} exports its own ${what}.`);
  }
}

/** The agents there are, in the order in which they are offered. */
export function agentIdsOf({ module, definitions }: WholeSetup): readonly string[] {
  return (module?.runtime?.agents() ?? definitions.agents ?? []).map(({ id }) => id);
}

/** Where the agents are from. */
export function sourceOf({ module, file }: Setup): string | undefined {
  const files = [module?.file, file].flatMap((path) => (path === undefined ? [] : [relative(process.cwd(), path)]));
  return files.length === 0 ? undefined : files.join(" and ");
}

export function sayWarning({ path, message }: ConfigProblem): string {
  return `warning: ${path}: ${message}`;
}

/** Whether there are models that only do what a script says. */
export function isScripted({ config }: Setup): boolean {
  return Object.values(config.providers).some(({ adapter_kind }) => adapter_kind === SCRIPTED);
}

/** Adds the programs that speak ACP, where the file names some. A backend of the module goes before. */
async function withHarnesses(ports: ConfigPorts, document: Json): Promise<ConfigPorts> {
  const { backends = [] } = ports;
  const harnesses = findHarnesses(document);
  if (harnesses === undefined || backends.some(({ id }) => id === "acp")) return ports;
  const { acpBackend } = await import("@reprise/backends/acp");
  return { ...ports, backends: [...backends, acpBackend({ agents: harnesses })] };
}

function findHarnesses(document: Json): Readonly<Record<string, AcpHarness>> | undefined {
  try {
    const { acp_agents } = readConfig(document);
    if (acp_agents === undefined) return undefined;
    const entries = Object.entries(acp_agents).map(([name, { cwd, ...settings }]) => {
      const named = Object.entries(settings).map(([key, value]) => [camelCase(key), value]);
      const folder = cwd === undefined ? {} : { cwd: resolve(cwd) };
      // The same fields in an author's words.
      return [name, { ...(Object.fromEntries(named) as AcpHarness), ...folder }] as const;
    });
    return Object.fromEntries(entries);
  } catch {
    // The check of the whole configuration says what is wrong.
    return undefined;
  }
}
