import {
  assertId,
  type BlobStore,
  type Claim,
  type Clock,
  type Store,
  type StoreOperator,
  type TenantStore,
} from "@reprise/contracts";
import { withCollection } from "../../shell/blob-collection.ts";
import type { BlobObjects } from "../../shell/blob-objects.ts";
import { createDurableStore } from "../../shell/create-durable-store.ts";
import type { Partitions } from "./partition.ts";
import { createPartitionedBlobs } from "./partitioned-blobs.ts";
import { createPartitionedDriver } from "./partitioned-driver.ts";
import { placedId } from "./place-of-id.ts";
import { RunPlaces } from "./run-places.ts";

/** A store whose threads are spread over several databases. */
export function createPartitionedStore(
  partitions: Partitions,
  { blobs: objects, clock }: { readonly blobs?: BlobObjects; readonly clock?: Pick<Clock, "now"> },
): Store & { readonly blobs: BlobStore } {
  const places = new RunPlaces(partitions, clock);
  const store = createDurableStore(createPartitionedDriver(partitions, places));
  const tenants = new Map<string, TenantStore>();
  const placed: Store = {
    ...store,
    operator: {
      ...store.operator,
      renew: (claims, leaseMs) => renewApart({ store, places }, claims, leaseMs),
    },
    forTenant(tenant) {
      const known = tenants.get(tenant) ?? withPlaces(store.forTenant(tenant), tenant, places);
      tenants.set(tenant, known);
      return known;
    },
  };
  const { driver } = partitions.first;
  return withCollection(placed, createPartitionedBlobs(partitions, objects, clock), () => driver.estimateNow());
}

/** Enters runs before they are stored, and makes ids for those that come. */
function withPlaces(store: TenantStore, tenant: string, places: RunPlaces): TenantStore {
  return {
    ...store,
    async submit(entry, claiming) {
      const { thread_id, run_id } = entry;
      assertId("thread", thread_id);
      assertId("run", run_id);
      await places.enter(tenant, thread_id, run_id, { isNew: true });
      return store.submit(entry, claiming);
    },
    async commit(changeset, guard) {
      const { thread_id, runs } = changeset;
      for (const { run_id } of runs) await places.enter(tenant, thread_id, run_id, { isNew: false });
      return store.commit(changeset, guard);
    },
    placeId: (id, threadId) => placedId(id, places.placeOfThread(tenant, threadId)),
  };
}

/** A database that does not answer must not cost the others their leases: so much of a lease is waited for it. */
const PATIENCE = 1 / 4;

async function renewApart(
  { store, places }: { readonly store: Store; readonly places: RunPlaces },
  claims: readonly Claim[],
  leaseMs: number,
): ReturnType<StoreOperator["renew"]> {
  const byPlace = Map.groupBy(claims, ({ tenant, thread_id }) => places.placeOfThread(tenant, thread_id));
  let answered = 0;
  const renewed = [...byPlace.values()].map(async (held) => {
    const answer = await store.operator.renew(held, leaseMs);
    answered += 1;
    return answer;
  });
  if (renewed.length < 2) return (await Promise.all(renewed)).flat();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isLate = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), leaseMs * PATIENCE);
  });
  const unknown = [...byPlace.values()];
  const answers = await Promise.all(
    renewed.map((renewal, index) =>
      Promise.race([renewal.catch(() => undefined), isLate.then(() => undefined)]).then(
        (answer) => answer ?? unknown[index] ?? [],
      ),
    ),
  );
  clearTimeout(timer);
  // No database answered: the caller hears why.
  if (answered === 0) await Promise.all(renewed);
  return answers.flat();
}
