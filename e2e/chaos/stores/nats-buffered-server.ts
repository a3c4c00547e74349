import { startNats } from "../../../packages/stores/test/nats/start-nats.ts";
import type { FoundService } from "../../../scripts/services/find-service.mjs";
import { pauseFor } from "../workload/pause-for.ts";
import { createPostgresServer } from "./postgres-server.ts";
import type { StoreServer } from "./store-server.ts";

export interface NatsBufferedServices {
  readonly postgres: Pick<FoundService, "binary">;
  readonly nats: Pick<FoundService, "binary">;
}

/** Postgres with a NATS server in front of it. The checker looks at Postgres alone: nothing may be in the buffer only at the end. */
export async function createNatsBufferedServer(services: NatsBufferedServices): Promise<StoreServer> {
  const nats = await startNats(services.nats);
  const postgres = await createPostgresServer(services.postgres).catch(async (error: unknown) => {
    await nats.stop();
    throw error;
  });
  return {
    name: "nats-buffered",
    hasOwnClock: true,
    async freshStore(folder) {
      const { address, addressFor, close } = await postgres.freshStore(folder);
      return {
        address,
        close,
        addressFor(worker) {
          const behind = addressFor(worker);
          return behind.kind === "postgres" ? { ...behind, kind: "nats-buffered", natsUrl: nats.url } : behind;
        },
      };
    },
    faults: {
      ...postgres.faults,
      async "nats kill"(random) {
        await nats.kill();
        await pauseFor(random.between(0, 800));
        await nats.start();
        return undefined;
      },
      async "nats silence"(random) {
        await nats.pause();
        await pauseFor(random.between(200, 2_000));
        nats.resume();
        return undefined;
      },
    },
    heal: () => postgres.heal(),
    async close() {
      nats.resume();
      await Promise.all([postgres.close(), nats.stop()]);
    },
  };
}
