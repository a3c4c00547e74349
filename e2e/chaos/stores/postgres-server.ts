import { type PostgresServer, startServer } from "../../../packages/stores/test/postgres/start-server.ts";
import type { FoundService } from "../../../scripts/services/find-service.mjs";
import type { SeededRandom } from "../random/seeded-random.ts";
import { pauseFor } from "../workload/pause-for.ts";
import { type CommitCut, PostgresProxy } from "./postgres-proxy.ts";
import type { StoreFault, StoreServer } from "./store-server.ts";

/** How long to wait for a COMMIT to cut. */
const CUT_WITHIN_MS = 2_000;

/** A Postgres server of the rig's own, a schema for each round, and a way of its own to it for each worker. */
export async function createPostgresServer(service: Pick<FoundService, "binary">): Promise<StoreServer> {
  const server = await startServer(service);
  const proxies = new Map<string, PostgresProxy>();
  let rounds = 0;
  return {
    name: "postgres",
    hasOwnClock: true,
    async freshStore() {
      rounds += 1;
      const schema = `round_${rounds}`;
      // A worker that is not known yet has no way of its own; they are all known before the round begins.
      for (const worker of WORKER_NAMES)
        if (!proxies.has(worker)) proxies.set(worker, await PostgresProxy.start(server.url));
      return {
        address: { kind: "postgres", url: server.url, schema },
        close: async () => {},
        addressFor: (worker) => ({ kind: "postgres", url: proxies.get(worker)?.url ?? server.url, schema }),
      };
    },
    faults: createFaults(server, proxies),
    async heal() {
      for (const proxy of proxies.values()) proxy.heal();
    },
    async close() {
      for (const proxy of proxies.values()) proxy.close();
      await server.stop();
    },
  };
}

const WORKER_NAMES: readonly string[] = Array.from({ length: 8 }, (_, index) => `worker-${index + 1}`);

function createFaults(
  server: PostgresServer,
  proxies: ReadonlyMap<string, PostgresProxy>,
): Readonly<Record<string, StoreFault>> {
  const all = (): readonly PostgresProxy[] => [...proxies.values()];
  const cut = async (side: CommitCut): Promise<string | undefined> => {
    const happened = Promise.race(all().map((proxy) => proxy.cutNextCommit(side)));
    const isCut = await Promise.race([happened.then(() => true), pauseFor(CUT_WITHIN_MS).then(() => false)]);
    for (const proxy of all()) proxy.heal();
    return isCut ? undefined : "there was nothing to cut";
  };
  return {
    "cut before commit": () => cut("before"),
    "cut after commit": () => cut("after"),
    async silence() {
      for (const proxy of all()) proxy.goSilent();
      return undefined;
    },
    async slowness(random: SeededRandom) {
      for (const proxy of all()) proxy.slowDown(random.between(20, 200));
      await pauseFor(random.between(500, 2_000));
      for (const proxy of all()) proxy.heal();
      return undefined;
    },
    async "database restart"() {
      await server.restart();
      return undefined;
    },
    async "database outage"(random: SeededRandom) {
      await server.kill();
      await pauseFor(random.between(1_000, 4_000));
      await server.start();
      return undefined;
    },
  };
}
