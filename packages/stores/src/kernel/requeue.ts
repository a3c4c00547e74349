import { illegalTransition, notFound } from "@reprise/contracts";
import type { ThreadDemand, ThreadRows } from "./demand.ts";
import { reviveEntry } from "./entries.ts";
import { concludeDraft, type Plan, requireThread } from "./plan.ts";
import type { ThreadAnswers, ThreadRequest } from "./request.ts";

export function demandRequeue({ tenant, thread_id, entry_id }: ThreadRequest<"requeue_entry">): ThreadDemand {
  return { tenant, thread: { thread_id }, entry_ids: [entry_id] };
}

/** Gives a dead letter another chance. */
export function planRequeue(
  { tenant, thread_id, entry_id }: ThreadRequest<"requeue_entry">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["requeue_entry"]> {
  const row = rows.entries.find(({ entry }) => entry.entry_id === entry_id && entry.thread_id === thread_id);
  if (row === undefined) throw notFound("ENTRY_NOT_FOUND", "mailbox entry", entry_id);
  const draft = requireThread(tenant, thread_id, rows);
  if (row.entry.status !== "dead_letter") {
    throw illegalTransition("mailbox entry", entry_id, row.entry.status, "requeue");
  }
  return concludeDraft(draft, reviveEntry(draft, row, now), [{ kind: "work" }]);
}
