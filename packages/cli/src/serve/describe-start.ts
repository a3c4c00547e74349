import type { Durability } from "@reprise/contracts";
import type { WorkingApp } from "../compose/open-app.ts";
import { isScripted } from "../compose/read-setup.ts";

const SURVIVES: Readonly<Record<Durability, string>> = {
  "power-loss": "survives a power cut",
  "process-crash": "survives a crash of the process, not a power cut",
  none: "gone when the process ends",
};

/** What was started, for programs. */
export interface Started {
  readonly url: string;
  readonly store: string;
  readonly durability: Durability;
  readonly agents: readonly string[];
  readonly models: "scripted" | "real";
  readonly config: string | null;
  readonly pid: number;
}

export function describeStart({ runtime, setup, storeName }: WorkingApp, url: string): Started {
  return {
    url,
    store: storeName,
    durability: runtime.durability,
    agents: runtime.agents().map(({ id }) => id),
    models: isScripted(setup) ? "scripted" : "real",
    config: setup.file ?? null,
    pid: process.pid,
  };
}

/** The same for people. */
export function printStart(started: Started, models: readonly string[]): string {
  const { url, store, durability, agents, config } = started;
  const scripted =
    "the built-in scripted model: no key needed. Set OPENAI_API_KEY or another provider's key for a real one";
  const lines: readonly (readonly [string, string])[] = [
    ["page", `${url}/`],
    ["store", `${store} (${SURVIVES[durability]})`],
    ["agents", agents.join(", ")],
    ["models", started.models === "scripted" ? scripted : [...new Set(models)].join(", ")],
    ["config", config ?? "built in"],
    ["stop", "Ctrl-C; runs that are cut go on with the next start"],
  ];
  return [`Reprise serves on ${url}`, ...lines.map(([name, text]) => `  ${name.padEnd(7)} ${text}`)].join("\n");
}
