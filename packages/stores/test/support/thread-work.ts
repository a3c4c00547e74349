import type { Changeset, Claim, RunRecord, TenantStore } from "@reprise/contracts";
import { buildChangeset, buildEntry, buildEvents, buildMessage, buildRun } from "@reprise/testkit";

/** A run that was started on an idle thread, and the way to commit to it. */
export interface StartedRun {
  readonly run: RunRecord;
  readonly claim: Claim;
  /** Commits one message and two events more; returns the changeset. */
  commit(parts?: Partial<Changeset>): Promise<Changeset>;
}

/** Starts a run on a thread no worker has. Ids derive from the thread's and the run's number. */
export async function startRun(tenant: TenantStore, threadId: string, number = 1): Promise<StartedRun> {
  const runId = `${threadId}-run-${number}`;
  const run = buildRun({ run_id: runId, thread_id: threadId });
  const expected = (await tenant.loadThread(threadId))?.thread.version ?? 0;
  const changeset = buildChangeset({
    changeset_id: `${runId}-start`,
    thread_id: threadId,
    run_id: runId,
    messages: [buildMessage(`${runId}-m0`)],
    runs: [run],
  });
  const entry = buildEntry({ entry_id: `${runId}-entry`, thread_id: threadId, run_id: runId });
  const submitted = await tenant.submit(entry, { owner: "owner", lease_ms: 60_000, changeset, expected });
  if (submitted.status !== "claimed") throw new Error(`Thread ${threadId} was not idle.`);
  let { version } = submitted;
  let commits = 0;
  const commit = async (parts: Partial<Changeset> = {}): Promise<Changeset> => {
    commits += 1;
    const next = buildChangeset({
      changeset_id: `${runId}-c${commits}`,
      thread_id: threadId,
      run_id: runId,
      messages: [buildMessage(`${runId}-m${commits}`)],
      events: buildEvents(run, commits * 2 - 1, 2),
      ...parts,
    });
    ({ version } = await tenant.commit(next, { expected: version, epoch: submitted.claim.epoch }));
    return next;
  };
  return { run, claim: submitted.claim, commit };
}
