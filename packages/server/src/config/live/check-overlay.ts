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
  const problems = findUnbound(base, whole);
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
