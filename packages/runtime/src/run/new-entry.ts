import type { NewEntry, RunRequest } from "@reprise/contracts";

/** A request whose ids are known. */
export type IdentifiedRequest = RunRequest & Required<Pick<RunRequest, "run_id" | "thread_id">>;

/** How an entry waits in its mailbox. */
interface Queueing extends Pick<NewEntry, "busy_policy" | "priority"> {
  readonly dedupe_key: string | undefined;
  readonly sender_id: string | undefined;
}

/** The mailbox entry of a request. Every run begins as one. */
export function newEntry(
  request: IdentifiedRequest,
  { busy_policy, priority, dedupe_key, sender_id }: Queueing,
): NewEntry {
  const { run_id, thread_id } = request;
  return {
    entry_id: `${run_id}-entry`,
    thread_id,
    run_id,
    request,
    busy_policy,
    priority,
    ...(dedupe_key !== undefined && { dedupe_key }),
    ...(sender_id !== undefined && { sender_id }),
  };
}
