import type { BlobStore, Clock } from "@reprise/contracts";
import { COLLECT_AFTER_MS } from "../../shell/blob-collection.ts";
import type { BlobObjects } from "../../shell/blob-objects.ts";
import type { BlobKey } from "../../shell/blob-rows.ts";
import { createBlobStore } from "../../shell/blob-shell.ts";
import { COLLECT, IS_REFERRED_BY_ANY, LOCK_REFS } from "../blob-statements.ts";
import { fromPostgresError } from "../postgres-errors.ts";
import { rowsOf, type Session } from "../session.ts";
import { prepared } from "../statement.ts";
import type { Partition, Partitions } from "./partition.ts";
import { hashedPlace } from "./place-of-id.ts";

const BEGIN = prepared("begin isolation level read committed");
const COMMIT = prepared("commit");

/**
 * The blobs of a partitioned store. Those of one tenant are in one database: there its quota is kept in a transaction, whichever
 * threads refer to them. References stay with the threads, so what may be collected is asked of all databases.
 */
export function createPartitionedBlobs(
  partitions: Partitions,
  objects: BlobObjects | undefined,
  clock: Pick<Clock, "now"> | undefined,
): BlobStore {
  const collecting = new Turns();
  const stores = partitions.all.map((home) =>
    createBlobStore(
      {
        ...home.blobs,
        collect: (key) => collecting.next(() => collect(partitions.all, { ...key, home, now: clock?.now() ?? null })),
      },
      objects,
    ),
  );
  const first = createBlobStore(partitions.first.blobs, objects);
  const of = (tenant: string): BlobStore => stores[hashedPlace([tenant], partitions.count)] ?? first;
  return {
    put: async (tenant, content, options) => of(tenant).put(tenant, content, options),
    read: (tenant, ref, range) => of(tenant).read(tenant, ref, range),
    get: (tenant, ref) => of(tenant).get(tenant, ref),
    delete: (tenant, ref) => of(tenant).delete(tenant, ref),
    async collect() {
      let sum = 0;
      for (const store of stores) sum += await store.collect();
      return sum;
    },
    usage: (tenant) => of(tenant).usage(tenant),
    ...(objects !== undefined && {
      link: async (tenant, ref, options) => of(tenant).link?.(tenant, ref, options),
    }),
  };
}

/** A blob that may be collected, the database that has it, and the store's time unless it is the server's. */
interface Collected extends BlobKey {
  readonly home: Partition;
  readonly now: number | null;
}

/**
 * Deletes a blob that is old and that no thread of any database refers to. Each database in turn is kept from adding references until
 * it is decided, always in the same order, so that two processes that collect wait for each other and not in a circle.
 */
async function collect(
  [partition, ...rest]: readonly Partition[],
  blob: Collected,
  homeSession?: Session,
): Promise<boolean> {
  const { tenant, ref, home, now } = blob;
  if (partition === undefined) {
    if (homeSession === undefined) return false;
    return rowsOf(await homeSession.run([COLLECT(now, COLLECT_AFTER_MS, tenant, ref)])).length > 0;
  }
  return partition.database.use(async (session) => {
    try {
      await session.run([BEGIN(), LOCK_REFS()]);
      const isReferred = rowsOf(await session.run([IS_REFERRED_BY_ANY(tenant, ref)])).length > 0;
      const isGone = !isReferred && (await collect(rest, blob, partition === home ? session : homeSession));
      await session.run([COMMIT()]);
      return isGone;
    } catch (error) {
      await session.rollBack();
      throw fromPostgresError(error);
    }
  });
}

/** One after the other: each holds a connection to every database. */
class Turns {
  #last: Promise<unknown> = Promise.resolve();

  next<Result>(work: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(work, work);
    this.#last = turn;
    return turn;
  }
}
