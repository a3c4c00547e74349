import type { MailboxEntry, RunRecord, RunRequest } from "@reprise/contracts";
import { completionOf } from "../../../packages/runtime/src/run/run-tree.ts";
import type { History } from "./history.ts";
import { indexHistory } from "./index-history.ts";

/** A run that another run started, as its request says. It need not have begun. */
export interface RunBelow {
  readonly run_id: string;
  readonly thread_id: string;
  readonly request: RunRequest;
  readonly entry: MailboxEntry;
}

/** The runs of a history and how they belong together. */
export interface Lineage {
  readonly below: ReadonlyMap<string, RunBelow>;
  /** The notices of runs in the background, by the ids of their requests. */
  readonly notices: ReadonlyMap<string, RunBelow>;
}

const cache = new WeakMap<History, Lineage>();

export function lineageOf(history: History): Lineage {
  const known = cache.get(history);
  if (known !== undefined) return known;
  const entries = history.threads.flatMap((thread) => thread.entries);
  const below = entries.flatMap((entry): readonly RunBelow[] => {
    const { kind, run_id, thread_id, request } = entry;
    const isBelow = kind === "run" && request?.parent_run_id !== undefined && request.root_run_id !== undefined;
    return isBelow ? [{ run_id, thread_id, request, entry }] : [];
  });
  const lineage = {
    below: new Map(below.map((run) => [run.run_id, run])),
    notices: new Map(below.filter(isBackground).map((run) => [completionOf(run.run_id), run])),
  };
  cache.set(history, lineage);
  return lineage;
}

/** No call waits for it: it tells the thread above when it is over. */
export function isBackground({ request }: RunBelow): boolean {
  return request.background === true;
}

/** The run above a run; for the notice of a run, the one it is for. */
export function runAbove(history: History, runId: string): RunRecord | undefined {
  const { below, notices } = lineageOf(history);
  const parent = (below.get(runId) ?? notices.get(runId))?.request.parent_run_id;
  return parent === undefined ? undefined : indexHistory(history).runs.get(parent)?.run;
}
