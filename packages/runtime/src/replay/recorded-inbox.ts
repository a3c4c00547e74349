import type { Decision, MailboxEntry, RunRecord } from "@reprise/contracts";
import type { ExpectedCommit } from "./expected-commit.ts";

/** The decisions that a commit used. */
export function decisionsIn({ changeset }: ExpectedCommit, decisions: readonly Decision[]): readonly Decision[] {
  return changeset.consumed_decisions.flatMap(
    (key) =>
      decisions.find(({ call_id, suspension }) => call_id === key.call_id && suspension === key.suspension) ?? [],
  );
}

/** What was said to the run and goes into the commit that comes next, or into the one after it. */
export function steeringIn(
  here: ExpectedCommit,
  next: ExpectedCommit | undefined,
  { run, steering }: { readonly run: RunRecord; readonly steering: readonly MailboxEntry[] },
): readonly MailboxEntry[] {
  const { reasons } = here.changeset;
  // What the model said before is committed first, by itself.
  const isAlone = reasons.length === 1 && reasons[0] === "assistant_turn";
  const taking = isAlone ? next?.changeset : here.changeset;
  const taken = (taking?.mailbox_effects ?? []).filter(({ into_run }) => into_run !== undefined);
  const found = taken.flatMap((effect) => steering.find(({ entry_id }) => entry_id === effect.entry_id) ?? []);
  // Called off before it could be taken in, or lost with its owner.
  const isLost = found.length === 0 && (isAlone || here.hasRefusal);
  return isLost ? [lostEntry(run)] : found;
}

/** What an owner found that was lost before it could take it in: nobody knows any more what it was. */
function lostEntry({ agent_id, thread_id, run_id }: RunRecord): MailboxEntry {
  const times = { available_at: 0, created_at: 0, updated_at: 0, attempts: 0, priority: 0, generation: 0 };
  const entry = { entry_id: `${run_id}-lost`, thread_id, run_id, kind: "run", status: "queued" } as const;
  return { ...entry, ...times, busy_policy: "steer", request: { agent_id, messages: [] } };
}
