import {
  isTerminal,
  type RunRecord,
  type StoredChangeset,
  TOOL_CALL_TRANSITIONS,
  type ToolCallRecord,
} from "@reprise/contracts";
import { compareCallIds } from "../thread/derived-ids.ts";

/** The row of a run, and its open calls, as changesets leave them. */
export interface FoldedRows {
  readonly run: RunRecord | undefined;
  readonly calls: readonly ToolCallRecord[];
}

/** What the rows of one run are after some changesets. */
export function foldRows(changesets: readonly StoredChangeset[], runId: string): FoldedRows {
  let run: RunRecord | undefined;
  const calls = new Map<string, ToolCallRecord>();
  for (const changeset of changesets) {
    run = changeset.runs.find(({ run_id }) => run_id === runId) ?? run;
    for (const call of changeset.calls) if (call.run_id === runId) calls.set(call.call_id, call);
  }
  const open = [...calls.values()].filter(({ status }) => !isTerminal(TOOL_CALL_TRANSITIONS, status));
  return { run, calls: open.toSorted((left, right) => compareCallIds(left.call_id, right.call_id)) };
}
