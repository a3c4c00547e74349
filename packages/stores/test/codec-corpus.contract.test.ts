import { createFakeEnv, describeStoreCodec } from "@reprise/testkit";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { createMemoryStore } from "../src/memory/index.ts";
import { useBufferedServers } from "./nats/use-buffered.ts";
import { useServer } from "./postgres/use-server.ts";
import { openTemporaryStore } from "./support/temporary-store.ts";

describeStoreCodec("memory", async () => {
  const { clock, advance } = createFakeEnv();
  const store = createMemoryStore({ clock });
  return { store, advance, close: () => store.close() };
});

describeStoreCodec("sqlite", openTemporaryStore);

describeWithService("postgres", "on a real Postgres", (postgres) => {
  const { openSchema } = useServer(postgres);
  describeStoreCodec("postgres", openSchema);

  describeWithService("nats", "behind a real NATS", (nats) => {
    const { openBuffered } = useBufferedServers({ postgres, nats });
    describeStoreCodec("nats-buffered", openBuffered);
  });
});
