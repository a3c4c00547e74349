import type { ToolCallRecord } from "@reprise/contracts";
import { compactJson, expandJson } from "../compact-json.ts";
import { escapeText, unescapeText } from "../escape-text.ts";
import { readText, type StoredText, storeText } from "../stored-text.ts";

/** A call in the columns one can ask for, and the rest of it. `run_id` and `thread_id` come from its run and its thread. */
export interface CallColumns extends StoredText {
  readonly call_id: string;
  readonly status: string;
}

export function toCallColumns(record: ToolCallRecord): CallColumns {
  const { call_id, run_id, thread_id: _, status, ...rest } = record;
  return {
    call_id: escapeText(call_id),
    status,
    ...storeText(compactJson(rest, { run_id, texts: [] })),
  };
}

export function fromCallColumns(
  columns: CallColumns & { readonly run_id: string; readonly thread_id: string },
): ToolCallRecord {
  const run_id = unescapeText(columns.run_id);
  const rest = expandJson("call", readText("call", columns), { run_id, texts: [] });
  // Together they are the record that `toCallColumns` took apart.
  return {
    call_id: unescapeText(columns.call_id),
    run_id,
    thread_id: columns.thread_id,
    status: columns.status,
    ...(rest as object),
  } as ToolCallRecord;
}
