import { createFakeEnv, describeBlobCollection } from "@reprise/testkit";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { createMemoryStoreWithBlobs } from "../src/memory/index.ts";
import { openTemporaryFileStore } from "./file/temporary-file-store.ts";
import { useBufferedServers } from "./nats/use-buffered.ts";
import { useServer } from "./postgres/use-server.ts";
import { openTemporaryStore } from "./support/temporary-store.ts";

describeBlobCollection("memory", async () => {
  const env = createFakeEnv();
  const store = createMemoryStoreWithBlobs(env);
  return { store, advance: env.advance, close: () => store.close() };
});

describeBlobCollection("file", openTemporaryFileStore);

describeBlobCollection("sqlite", openTemporaryStore);

describeWithService("postgres", "on a real Postgres", (service) => {
  const { openSchema } = useServer(service);
  describeBlobCollection("postgres", openSchema);
});

describeWithService("postgres", "a buffered store", (postgres) => {
  describeWithService("nats", "on a real Postgres and a real NATS", (nats) => {
    const { openBuffered } = useBufferedServers({ postgres, nats });
    describeBlobCollection("nats-buffered", openBuffered);
  });
});
