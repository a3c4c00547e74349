import { randomUUID } from "node:crypto";
import type { Changeset, ClaimingSubmission, NewEntry, Store, TenantStore } from "@reprise/contracts";

/** What a run wrote to its store: its admission with the first commit, and the other commits. */
export interface RecordedCommits {
  readonly entry: NewEntry;
  readonly claiming: ClaimingSubmission;
  readonly changesets: readonly Changeset[];
}

/** The same store; keeps what the run on one thread writes. */
export function recordCommits(store: Store, threadId: string): { readonly store: Store; take(): RecordedCommits } {
  let admission: Omit<RecordedCommits, "changesets"> | undefined;
  const changesets: Changeset[] = [];
  const wrap = (inner: TenantStore): TenantStore => ({
    ...inner,
    submit(entry, claiming) {
      if (claiming !== undefined && entry.thread_id === threadId) admission = { entry, claiming };
      return inner.submit(entry, claiming);
    },
    commit(changeset, guard) {
      if (changeset.thread_id === threadId) changesets.push(changeset);
      return inner.commit(changeset, guard);
    },
  });
  return {
    store: { ...store, forTenant: (tenant) => wrap(store.forTenant(tenant)) },
    take: () => {
      if (admission === undefined) throw new Error("The run was not started at once.");
      return { ...admission, changesets };
    },
  };
}

/** Writes the same again to a store, under other ids and without a runtime; returns how long the store took, in milliseconds. */
export async function replayCommits(store: Store, recorded: RecordedCommits): Promise<number> {
  const { run_id, thread_id } = recorded.entry;
  const text = JSON.stringify(recorded).replaceAll(run_id, randomUUID()).replaceAll(thread_id, randomUUID());
  // A copy of what was written, with other ids.
  const { entry, claiming, changesets } = JSON.parse(text) as RecordedCommits;
  const tenant = store.forTenant("default");
  const start = performance.now();
  const submitted = await tenant.submit(entry, claiming);
  if (submitted.status !== "claimed") throw new Error(`The run ${entry.run_id} was not started at once.`);
  const { epoch } = submitted.claim;
  let { version } = submitted;
  for (const changeset of changesets) ({ version } = await tenant.commit(changeset, { expected: version, epoch }));
  return performance.now() - start;
}
