import type { ShapePath } from "@reprise/contracts/shape";
import type { JsonObject } from "@reprise/state";
import type { Config, ConfigFile } from "../config.ts";
import type { ConfigKind, StoredEntry } from "./stored-entries.ts";

/** A configuration with stored entries in the place of the file's, or after them. Not checked. */
export function overlay(base: Config, entries: readonly StoredEntry[]): ConfigFile {
  const models = { ...base.models, ...bodiesOf(entries, "models") };
  const providers = { ...base.providers, ...bodiesOf(entries, "providers") };
  const agents = bodiesOf(entries, "agents");
  const isNew = (id: string): boolean => !base.agents.some((agent) => agent.id === id);
  return {
    ...base,
    providers,
    models,
    agents: [
      ...base.agents.map((agent) => (typeof agent.id === "string" ? (ownOf(agents, agent.id) ?? agent) : agent)),
      ...Object.entries(agents).flatMap(([id, body]) => (isNew(id) ? [body] : [])),
    ],
  };
}

function bodiesOf(entries: readonly StoredEntry[], wanted: ConfigKind): Readonly<Record<string, JsonObject>> {
  return Object.fromEntries(entries.filter(({ kind }) => kind === wanted).map(({ id, body }) => [id, body]));
}

/** The value of an own key: ids may be names that every object inherits. */
export function ownOf<Value>(record: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined;
}

/** An entry of a configuration, wherever it is from. */
export function entryOf(config: ConfigFile, kind: ConfigKind, id: string): object | undefined {
  if (kind === "agents") return config.agents?.find((agent) => agent.id === id);
  return ownOf<object>(config[kind] ?? {}, id);
}

export function idsOf(config: Config, kind: ConfigKind): readonly string[] {
  return kind === "agents" ? config.agents.map(({ id }) => String(id)) : Object.keys(config[kind]);
}

/** Where an entry stands in a configuration. */
export function pathOf(config: ConfigFile, { kind, id }: Pick<StoredEntry, "kind" | "id">): ShapePath {
  return [kind, kind === "agents" ? (config.agents?.findIndex((agent) => agent.id === id) ?? -1) : id];
}
