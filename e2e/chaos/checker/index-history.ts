import type { AgentEvent, MailboxEntry, ToolCallRecord } from "@reprise/contracts";
import type { History, RunHistory, ThreadHistory } from "./history.ts";

/** A run with the thread it is on. */
export interface PlacedRun extends RunHistory {
  readonly thread: ThreadHistory;
}

export interface HistoryIndex {
  readonly runs: ReadonlyMap<string, PlacedRun>;
  readonly entries: ReadonlyMap<string, MailboxEntry>;
  readonly calls: ReadonlyMap<string, ToolCallRecord>;
}

const cache = new WeakMap<History, HistoryIndex>();

/** A history by its ids. */
export function indexHistory(history: History): HistoryIndex {
  const known = cache.get(history);
  if (known !== undefined) return known;
  const runs = history.threads.flatMap((thread) => thread.runs.map((run): PlacedRun => ({ ...run, thread })));
  const index: HistoryIndex = {
    runs: new Map(runs.map((run) => [run.run.run_id, run])),
    entries: new Map(history.threads.flatMap(({ entries }) => entries.map((entry) => [entry.entry_id, entry]))),
    calls: new Map(runs.flatMap(({ calls }) => calls.map((call) => [call.call_id, call]))),
  };
  cache.set(history, index);
  return index;
}

/** The committed events of a run, in order. */
export function eventsOf({ segments }: Pick<RunHistory, "segments">): readonly AgentEvent[] {
  return segments.flatMap(({ events }) => events);
}
