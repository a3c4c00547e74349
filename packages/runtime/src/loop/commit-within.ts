import { type Changeset, RepriseError } from "@reprise/contracts";
import type { Host, Mailbox, RunView } from "../run/ports.ts";

const FIRST_PAUSE_MS = 50;

/**
 * Commits a changeset, trying again while the store may come back and the claim may still be ours. The changeset keeps its
 * id, so a commit whose answer was lost is found and not made twice.
 */
export async function commitWithin(
  { services, store, claim, signal }: Pick<RunView, "claim" | "signal"> & Pick<Mailbox, "store"> & Host,
  changeset: Changeset,
  expected: number,
): Promise<number> {
  const { env, limits } = services;
  const deadline = env.clock.mono() + limits.leaseMs;
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    const before = env.point("commit:before");
    if (before !== undefined) await before;
    try {
      const { version } = await store.commit(changeset, { expected, epoch: claim.epoch });
      const after = env.point("commit:after");
      if (after !== undefined) await after;
      return version;
    } catch (error) {
      const isTransient = RepriseError.is(error, "STORE_UNAVAILABLE");
      if (!isTransient || signal.aborted || env.clock.mono() + pause > deadline) throw error;
      await env.clock.sleep(pause);
    }
  }
}
