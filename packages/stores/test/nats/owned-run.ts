import type { Changeset, Claim, RunRecord, Store, TenantStore } from "@reprise/contracts";
import { buildChangeset, buildEvents, buildMessage } from "@reprise/testkit";

export const LEASE_MS = 60_000;

/** A run in the hands of somebody who knows only its claim and what the store says. */
export interface OwnedRun {
  readonly claim: Claim;
  readonly run: RunRecord;
  readonly version: number;
  commit(parts?: Partial<Changeset>): Promise<Changeset>;
}

let made = 0;

/** Claims the one run that has lost its owner. */
export async function takeRun(store: Store, owner: string): Promise<OwnedRun> {
  const [claim] = await store.operator.claim({ owner, lease_ms: LEASE_MS, limit: 1 });
  if (claim?.run === undefined) throw new Error("There is no run to recover.");
  return ownRun(store.forTenant(claim.tenant), claim, claim.run);
}

/** Continues with a run from what the store says of it. */
export async function ownRun(tenant: TenantStore, claim: Claim, run: RunRecord): Promise<OwnedRun> {
  let version = (await tenant.loadThread(claim.thread_id))?.thread.version ?? 0;
  let seq = lastSeq(await tenant.readEvents(run.run_id, 0));
  return {
    claim,
    run,
    get version() {
      return version;
    },
    async commit(parts = {}) {
      made += 1;
      const changeset = buildChangeset({
        changeset_id: `owned-${made}`,
        thread_id: claim.thread_id,
        run_id: run.run_id,
        messages: [buildMessage(`owned-m${made}`)],
        events: buildEvents(run, seq + 1, 2),
        ...parts,
      });
      ({ version } = await tenant.commit(changeset, { expected: version, epoch: claim.epoch }));
      seq += changeset.events.length;
      return changeset;
    },
  };
}

function lastSeq(segments: Awaited<ReturnType<TenantStore["readEvents"]>>): number {
  return segments.at(-1)?.events.at(-1)?.seq ?? 0;
}
