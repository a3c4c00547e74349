import {
  claimedRun,
  pruneDocuments,
  pruneThreads,
  RepriseError,
  type Store,
  type StoreOperator,
} from "@reprise/contracts";
import type { StoreDriver } from "./driver.ts";
import { openClaim } from "./open-entries.ts";
import { createPrunedStore } from "./prune-store.ts";

/** The dispatcher's side of a store. */
export function createOperator(driver: StoreDriver, forTenant: Store["forTenant"]): StoreOperator {
  const releaseOwner = async (owner: string): Promise<void> => {
    const places = await driver.findClaims(owner);
    const released = places.map((place) => driver.execute({ operation: "release_owner", ...place, owner }));
    await Promise.all(released.map(unlessDamaged));
  };
  return {
    async claim({ limit, ...request }) {
      const answers = await driver.claim(request, limit);
      return Promise.all(answers.map((answer) => openClaim(answer, driver.reader)));
    },
    async renew(claims, lease_ms) {
      const renewed = claims.map(async (claim) => {
        const { tenant, thread_id, epoch } = claim;
        const answer = await unlessDamaged(driver.execute({ operation: "renew", tenant, thread_id, epoch, lease_ms }));
        return answer === null ? [] : [{ ...claim, lease_until: answer.lease_until }];
      });
      return (await Promise.all(renewed)).flat();
    },
    async release(claim, problem) {
      const { tenant, thread_id, epoch } = claim;
      const run_id = claimedRun(claim);
      const given = { ...(run_id !== undefined && { run_id }), ...(problem !== undefined && { problem }) };
      await driver.execute({ operation: "release", tenant, thread_id, epoch, ...given });
    },
    releaseOwner,
    async enter(owner) {
      const leave = await driver.enter(owner);
      await releaseOwner(owner);
      return leave;
    },
    async prune(retention, signal) {
      const threads = await pruneThreads(createPrunedStore(driver, forTenant), retention, signal);
      return { ...threads, documents: await pruneDocuments((limit) => driver.documents.prune(limit), signal) };
    },
    watch: (listener) => driver.watch(listener),
  };
}

/** Of many threads, one that cannot be read must not cost the others their leases. */
async function unlessDamaged<Answer>(attempt: Promise<Answer>): Promise<Answer | null> {
  try {
    return await attempt;
  } catch (error) {
    if (RepriseError.is(error, "CORRUPT_DATA")) return null;
    throw error;
  }
}
