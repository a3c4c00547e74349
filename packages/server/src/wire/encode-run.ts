import type { MailboxEntry, RunRecord } from "@reprise/contracts";

/** A run as clients see it. Who asked for nothing in particular finds null, as everywhere in this API. */
export function encodeRun(run: RunRecord): object {
  return { ...run, metadata: run.metadata ?? null };
}

/** A run that has not begun, as its mailbox entry tells it; and one that never will. */
export function encodeQueuedRun(entry: MailboxEntry): object {
  const { request } = entry;
  return {
    run_id: entry.run_id,
    thread_id: entry.thread_id,
    agent_id: request?.agent_id ?? null,
    ...(request?.parent_run_id !== undefined && { parent_run_id: request.parent_run_id }),
    ...(request?.parent_call_id !== undefined && { parent_call_id: request.parent_call_id }),
    ...(request?.parent_thread_id !== undefined && { parent_thread_id: request.parent_thread_id }),
    origin: request?.origin ?? "user",
    ...fateOf(entry),
    source_mailbox_entry_id: entry.entry_id,
    attempts: entry.attempts,
    created_at: entry.created_at,
    updated_at: entry.updated_at,
    metadata: request?.metadata ?? null,
  };
}

function fateOf({ status, last_error, reason }: MailboxEntry): object {
  switch (status) {
    case "queued":
    case "claimed":
    case "accepted":
      return { status: "queued" };
    case "dead_letter":
      return { status: "done", termination_code: "error", ...(last_error && { termination_detail: last_error }) };
    case "superseded":
    case "cancelled":
      return { status: "done", termination_code: "cancelled", ...(reason && { termination_detail: reason }) };
    default:
      return status satisfies never;
  }
}
