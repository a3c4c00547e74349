import type { RunRecord, ToolCallRecord } from "@reprise/contracts";
import type { RunRow } from "../../kernel/rows.ts";
import { escapeText, unescapeText } from "../escape-text.ts";
import { parseText, readText, type StoredText, storeText } from "../stored-text.ts";
import { optionalProperty, optionalText } from "./column-values.ts";

/** A run in the columns one can ask for, and the rest of it as JSON. `thread_id` comes from its thread. */
export interface RunColumns extends StoredText {
  readonly run_id: string;
  readonly parent_run_id: string | null;
  readonly agent_id: string;
  readonly status: string;
  readonly origin: string;
  readonly termination_code: string | null;
  readonly created_at: number;
  readonly updated_at: number;
  readonly last_seq: number;
  readonly first_version: number;
  readonly last_version: number;
}

/** The body of a run's row. */
interface RunBody {
  readonly record: object;
  /** The calls that have not ended. */
  readonly open_calls: readonly ToolCallRecord[];
}

export function toRunColumns({ record, open_calls, last_seq, first_version, last_version }: RunRow): RunColumns {
  const { run_id, thread_id: _, parent_run_id, agent_id, status, origin, termination_code, ...others } = record;
  const { created_at, updated_at, ...rest } = others;
  const body: RunBody = { record: rest, open_calls };
  return {
    run_id: escapeText(run_id),
    parent_run_id: optionalText(parent_run_id),
    agent_id: escapeText(agent_id),
    status,
    origin,
    termination_code: optionalText(termination_code),
    created_at,
    updated_at,
    last_seq,
    first_version,
    last_version,
    ...storeText(JSON.stringify(body)),
  };
}

export function fromRunColumns(columns: RunColumns & { readonly thread_id: string }): RunRow {
  // Written by `toRunColumns`.
  const { record, open_calls } = parseText("run", readText("run", columns)) as RunBody;
  return {
    // Together they are the record that `toRunColumns` took apart.
    record: {
      run_id: unescapeText(columns.run_id),
      thread_id: columns.thread_id,
      agent_id: unescapeText(columns.agent_id),
      ...optionalProperty("parent_run_id", columns.parent_run_id),
      status: columns.status,
      origin: columns.origin,
      ...optionalProperty("termination_code", columns.termination_code),
      ...record,
      created_at: columns.created_at,
      updated_at: columns.updated_at,
    } as RunRecord,
    open_calls,
    last_seq: columns.last_seq,
    first_version: columns.first_version,
    last_version: columns.last_version,
  };
}
