import { relative } from "node:path";
import type { Durability } from "@reprise/contracts";
import type { WorkingApp } from "../compose/open-app.ts";
import { isScripted } from "../compose/read-setup.ts";
import type { Role } from "./read-role.ts";

const SURVIVES: Readonly<Record<Durability, string>> = {
  "power-loss": "survives a power cut",
  "process-crash": "survives a crash of the process, not a power cut",
  none: "gone when the process ends",
};

/** What was started, for programs. */
export interface Started {
  readonly role: Role;
  readonly url: string;
  readonly store: string;
  readonly durability: Durability;
  readonly agents: readonly string[];
  /** The module that the agents are from. */
  readonly module: string | null;
  readonly models: "scripted" | "real";
  readonly model_ids: readonly string[];
  readonly config: string | null;
  readonly pid: number;
}

export function describeStart({ runtime, setup, storeName }: WorkingApp, url: string, role: Role): Started {
  const agents = runtime.agents();
  return {
    role,
    url,
    store: storeName,
    durability: runtime.durability,
    agents: agents.map(({ id }) => id),
    module: setup.module?.file ?? null,
    models: isScripted(setup) ? "scripted" : "real",
    model_ids: [...new Set(agents.flatMap(({ model }) => (model === undefined ? [] : [model])))],
    config: setup.file ?? null,
    pid: process.pid,
  };
}

const SCRIPTED =
  "the built-in scripted model: no key needed. Set OPENAI_API_KEY or another provider's key for a real one";

/** The same for people. `stop`: how to end it. */
export function printStart(started: Started, stop: string = "Ctrl-C; runs continue with the next start"): string {
  const { role, url, store, durability, agents, config, module, models, model_ids } = started;
  const from = [module, config].flatMap((file) => (file === null ? [] : [relative(process.cwd(), file)]));
  const shown = {
    all: `${url}/`,
    api: `${url}/ (works on no run: that is for workers)`,
    worker: `${url}/ready, ${url}/health`,
  };
  const lines: readonly (readonly [string, string])[] = [
    [role === "worker" ? "health" : "page", shown[role]],
    ["agents", `${agents.join(", ")} (${from.length === 0 ? "built in" : from.join(", ")})`],
    ["models", models === "scripted" ? SCRIPTED : model_ids.join(", ")],
    ["store", `${store} (${SURVIVES[durability]})`],
    ["stop", stop],
  ];
  return [
    role === "worker" ? "Reprise works on runs" : `Reprise serves on ${url}`,
    ...lines.map(([name, text]) => `  ${name.padEnd(7)} ${text}`),
  ].join("\n");
}
