import { type MailboxEntry, type NewEntry, RepriseError, type RunRequest } from "@reprise/contracts";
import { deepEqual, type Json } from "@reprise/state";

/** Refuses a request under a run id or a dedupe key that another request has: its run is somebody else's. */
export function assertSameRequest(accepted: MailboxEntry, asked: NewEntry): void {
  if (accepted.request !== undefined && deepEqual(identityOf(accepted.request), identityOf(asked.request))) return;
  const isByKey = asked.dedupe_key !== undefined && accepted.dedupe_key === asked.dedupe_key;
  const what = isByKey ? `dedupe key ${JSON.stringify(asked.dedupe_key)}` : `run id ${JSON.stringify(asked.run_id)}`;
  throw new RepriseError("RUN_EXISTS", `The ${what} was used for another request.`, {
    details: { thread_id: asked.thread_id },
  });
}

/**
 * What makes two requests the same. Ids are found by the store, and a budget is set when a request is accepted. Decisions have an
 * identity of their own, and a client leaves out those it knows to be taken.
 */
function identityOf({ run_id, thread_id, budget_id, initial_decisions, policy = {}, ...rest }: RunRequest): Json {
  const { budget, ...lists } = policy;
  // A request is JSON, as was checked when it came.
  return { ...rest, policy: lists } as unknown as Json;
}
