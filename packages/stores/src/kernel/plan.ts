import { notFound, type StoreSignal } from "@reprise/contracts";
import type { ThreadRows } from "./demand.ts";
import { ThreadDraft } from "./thread-draft.ts";
import type { Write } from "./write.ts";

/** What an operation came to: what to write, what to answer once it is durable, and whom to tell then. */
export interface Plan<Answer> {
  readonly writes: readonly Write[];
  readonly answer: Answer;
  readonly signals: readonly StoreSignal[];
}

/** A plan that changes nothing. */
export function onlyAnswer<Answer>(answer: Answer): Plan<Answer> {
  return { writes: [], answer, signals: [] };
}

/** A draft of a thread that has to be there. */
export function requireThread(tenant: string, threadId: string, rows: ThreadRows): ThreadDraft {
  if (rows.thread === undefined) throw notFound("THREAD_NOT_FOUND", "thread", threadId);
  return new ThreadDraft(tenant, rows.thread, rows);
}

/** Turns a draft into a plan, with the signals that follow its commit. */
export function concludeDraft<Answer>(
  draft: ThreadDraft,
  answer: Answer,
  told: readonly { readonly kind: StoreSignal["kind"]; readonly runId?: string | null }[],
): Plan<Answer> {
  const writes = draft.writes();
  const key = { tenant: draft.tenant, thread_id: draft.threadId };
  const signals = told.map(({ kind, runId }) => ({ ...key, kind, ...(runId == null ? {} : { run_id: runId }) }));
  return { writes, answer, signals };
}

/** Whether the thread can be claimed, now or later. */
export function offersWork(draft: ThreadDraft): boolean {
  return draft.claim === null && draft.work !== null;
}
