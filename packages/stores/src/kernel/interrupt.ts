import type { ThreadDemand, ThreadRows } from "./demand.ts";
import { addCancel, closeEntry } from "./entries.ts";
import { concludeDraft, onlyAnswer, type Plan, requireThread } from "./plan.ts";
import type { ThreadAnswers, ThreadRequest } from "./request.ts";
import type { EntryRow } from "./rows.ts";
import type { ThreadDraft } from "./thread-draft.ts";

/** What an interrupt did to a thread. */
export interface Interruption {
  readonly generation: number;
  /** The run that is asked to end. */
  readonly run_id: string | undefined;
  readonly superseded: readonly EntryRow[];
}

/** Begins a new generation: drops what is queued and asks the open run to end. All queued runs have to be in the draft. */
export function beginGeneration(draft: ThreadDraft, reason: string, now: number): Interruption {
  draft.generation += 1;
  const runs = draft.entries.filter(({ entry }) => entry.kind === "run");
  const queued = runs.filter(({ entry }) => entry.status === "queued");
  for (const { entry } of queued) closeEntry(draft, entry.entry_id, "superseded", { reason, now });
  // An entry that was claimed a moment ago is about to be the open run.
  const starting = runs.find(({ entry }) => entry.status === "claimed")?.entry.run_id;
  for (const runId of [draft.openRunId ?? undefined, starting]) {
    if (runId !== undefined) addCancel(draft, runId, reason, now);
  }
  const superseded = queued.flatMap(({ entry }) => draft.entry(entry.entry_id) ?? []);
  return { generation: draft.generation, run_id: draft.openRunId ?? starting, superseded };
}

export function demandInterrupt({ tenant, thread_id }: ThreadRequest<"interrupt_thread">): ThreadDemand {
  return { tenant, thread: { thread_id }, queued_runs: true };
}

export function planInterrupt(
  { tenant, thread_id, reason, generation }: ThreadRequest<"interrupt_thread">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["interrupt_thread"]> {
  const draft = requireThread(tenant, thread_id, rows);
  if (generation !== null && draft.generation !== generation) {
    return onlyAnswer({ generation: draft.generation, run_id: undefined, superseded: [] });
  }
  const interruption = beginGeneration(draft, reason, now);
  const { run_id } = interruption;
  const told = run_id === undefined ? [] : [{ kind: "inbox", runId: run_id } as const, { kind: "work" } as const];
  return concludeDraft(draft, interruption, told);
}
