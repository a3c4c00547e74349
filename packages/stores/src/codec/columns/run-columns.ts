import type { RunRecord } from "@reprise/contracts";
import { compactJson, expandJson } from "../compact-json.ts";
import { escapeText, unescapeText } from "../escape-text.ts";
import { readText, type StoredText, storeText } from "../stored-text.ts";
import { optionalProperty, optionalText } from "./column-values.ts";

/** A run in the columns one can ask for, and the rest of it. `thread_id` comes from its thread. */
export interface RunColumns extends StoredText {
  readonly run_id: string;
  readonly parent_run_id: string | null;
  readonly agent_id: string;
  readonly status: string;
  readonly origin: string;
  readonly termination_code: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export function toRunColumns(record: RunRecord): RunColumns {
  const { run_id, thread_id: _, parent_run_id, agent_id, status, origin, termination_code, ...others } = record;
  const { created_at, updated_at, ...rest } = others;
  return {
    run_id: escapeText(run_id),
    parent_run_id: optionalText(parent_run_id),
    agent_id: escapeText(agent_id),
    status,
    origin,
    termination_code: optionalText(termination_code),
    created_at,
    updated_at,
    ...storeText(compactJson(rest, { run_id, texts: [] })),
  };
}

export function fromRunColumns(columns: RunColumns & { readonly thread_id: string }): RunRecord {
  const run_id = unescapeText(columns.run_id);
  const rest = expandJson("run", readText("run", columns), { run_id, texts: [] });
  // Together they are the record that `toRunColumns` took apart.
  return {
    run_id,
    thread_id: columns.thread_id,
    agent_id: unescapeText(columns.agent_id),
    ...optionalProperty("parent_run_id", columns.parent_run_id),
    status: columns.status,
    origin: columns.origin,
    ...optionalProperty("termination_code", columns.termination_code),
    ...(rest as object),
    created_at: columns.created_at,
    updated_at: columns.updated_at,
  } as RunRecord;
}
