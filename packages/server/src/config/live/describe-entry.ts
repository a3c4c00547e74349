import { notFound } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { redact } from "../secrets.ts";
import type { ConfigInForce } from "./config-in-force.ts";
import type { ConfigEntry, ShownConfig } from "./live-config.ts";
import { entryOf, idsOf } from "./overlay.ts";
import type { ConfigKind } from "./stored-entries.ts";

/** An entry as it can be shown; `CONFIG_NOT_FOUND` when there is none. */
export function describeEntry(config: ConfigInForce, kind: ConfigKind, id: string): ConfigEntry {
  const { fitted } = config;
  const stored = config.find(kind, id);
  if (stored !== undefined) {
    const { problems } = fitted.leftOut.find(({ entry }) => entry === stored) ?? {};
    const entry = { id, source: "stored", revision: stored.revision, body: redact(stored.body) } as const;
    return problems === undefined ? entry : { ...entry, problems };
  }
  const body = entryOf(fitted.config, kind, id);
  if (body === undefined) throw notFound("CONFIG_NOT_FOUND", `entry of ${kind}`, id);
  return { id, source: "file", revision: 0, body: show(body) };
}

export function listEntries(config: ConfigInForce, kind: ConfigKind): readonly ConfigEntry[] {
  const stored = config.stored.filter((entry) => entry.kind === kind).map(({ id }) => id);
  const ids = new Set([...idsOf(config.fitted.config, kind), ...stored]);
  return [...ids].map((id) => describeEntry(config, kind, id));
}

export function showConfig(config: ConfigInForce): ShownConfig {
  const left_out = config.fitted.leftOut.map(({ entry: { kind, id } }) => ({
    kind,
    ...describeEntry(config, kind, id),
  }));
  return { revision: config.number, config: show(config.fitted.config), left_out };
}

/** Configurations are JSON, which their interfaces hide from the compiler. */
function show(part: object): Json {
  return redact(part as Json);
}
