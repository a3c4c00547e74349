import { isPlainObject } from "@reprise/contracts/shape";
import { deepEqual, type Json } from "@reprise/state";
import { type CheckedConfig, checkConfig } from "../check-config.ts";
import type { Config } from "../config.ts";
import type { ConfigPorts } from "../config-ports.ts";
import { type ConfigProblem, configInvalid, problemAt } from "../config-problem.ts";
import { ownOf } from "./overlay.ts";

/**
 * Checks a whole configuration that was not written by the operator alone. What is changed over HTTP may name a variable of the
 * environment only if a provider of the file does, and only to send it where that provider sends it. Nothing else is looked up.
 */
export function checkOverlay(base: Config, whole: unknown, ports: ConfigPorts): CheckedConfig {
  const problems = [...findUnbound(base, whole), ...findFileOnly(base, whole, ports)];
  if (problems.length > 0) throw configInvalid(problems);
  return checkConfig(whole, ports);
}

/** Variables that are named without leave, or for another destination than the file names them for. */
function findUnbound(base: Config, whole: unknown): readonly ConfigProblem[] {
  if (!isPlainObject(whole) || !isPlainObject(whole.providers)) return [];
  return Object.entries(whole.providers).flatMap(([id, provider]) => {
    const name = isPlainObject(provider) ? variableOf(provider) : undefined;
    if (!isPlainObject(provider) || name === undefined) return [];
    const own = ownOf(base.providers, id);
    // Both are JSON: one was read from a file, the other from a request.
    if (own !== undefined && deepEqual(own as unknown as Json, provider as unknown as Json)) return [];
    const destinations = Object.entries(base.providers).flatMap(([known, entry]) =>
      variableOf(entry) === name ? [destinationOf(known, entry)] : [],
    );
    if (destinations.includes(destinationOf(id, provider))) return [];
    const path = ["providers", id, "auth", "name"];
    if (destinations.length === 0)
      return [
        problemAt(path, ` is ${name}, which no provider of the file names; only those variables can be named here`),
      ];
    return [
      problemAt(path, ` is ${name}, which is sent to ${[...new Set(destinations)].join(" and ")} and nowhere else`),
    ];
  });
}

function variableOf({ auth }: { readonly auth?: unknown }): string | undefined {
  return isPlainObject(auth) && auth.kind === "env" && typeof auth.name === "string" ? auth.name : undefined;
}

/** Where a provider is reached: the origin of its endpoint, or where its kind usually is. */
function destinationOf(id: string, entry: { readonly endpoint?: unknown; readonly adapter_kind?: unknown }): string {
  const { endpoint, adapter_kind } = entry;
  if (typeof endpoint !== "string") return `the usual address of ${String(adapter_kind ?? id)}`;
  return URL.canParse(endpoint) ? new URL(endpoint).origin : endpoint;
}

/** A setting of a section whose schema has this mark is the file's: it starts programs, or reads the environment. */
const FILE_ONLY = "x-reprise-file-only";

/** Settings of plugins that only the file may make, and that an agent has otherwise than in the file. */
function findFileOnly(base: Config, whole: unknown, { plugins = [] }: ConfigPorts): readonly ConfigProblem[] {
  if (!isPlainObject(whole) || !Array.isArray(whole.agents)) return [];
  const marked = plugins.flatMap(({ sections }) =>
    Object.entries(sections).flatMap(([section, { properties }]) =>
      Object.entries(isPlainObject(properties) ? properties : {})
        .filter(([, schema]) => isPlainObject(schema) && schema[FILE_ONLY] === true)
        .map(([setting]) => [section, setting] as const),
    ),
  );
  return whole.agents.flatMap((agent: unknown, index) => {
    const own = isPlainObject(agent) ? agent : {};
    const inFile = base.agents.find((entry) => isPlainObject(entry) && entry.id === own.id);
    return marked.flatMap(([section, setting]) => {
      const value = settingOf(own, section, setting);
      const known = isPlainObject(inFile) ? settingOf(inFile, section, setting) : undefined;
      if (value === undefined || (known !== undefined && deepEqual(value, known))) return [];
      return [problemAt(["agents", index, "sections", section, setting], " can be set in the configuration file only")];
    });
  });
}

function settingOf(
  { sections }: { readonly [key: string]: unknown },
  section: string,
  setting: string,
): Json | undefined {
  const own = isPlainObject(sections) ? sections[section] : undefined;
  // What is in a configuration is JSON.
  return isPlainObject(own) && Object.hasOwn(own, setting) ? (own[setting] as Json) : undefined;
}
