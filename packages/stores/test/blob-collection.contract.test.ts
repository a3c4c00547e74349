import { createFakeEnv, describeBlobCollection } from "@reprise/testkit";
import { describe } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { createMemoryStoreWithBlobs } from "../src/memory/index.ts";
import { s3 } from "../src/s3/index.ts";
import { openTemporaryFileStore } from "./file/temporary-file-store.ts";
import { useBufferedServers } from "./nats/use-buffered.ts";
import { useServer } from "./postgres/use-server.ts";
import { useS3 } from "./s3/use-s3.ts";
import { openTemporaryStore } from "./support/temporary-store.ts";

describeBlobCollection("memory", async () => {
  const env = createFakeEnv();
  const store = createMemoryStoreWithBlobs(env);
  return { store, advance: env.advance, close: () => store.close() };
});

describeBlobCollection("file", openTemporaryFileStore);

describeBlobCollection("sqlite", openTemporaryStore);

describe("with their bytes in S3", () => {
  const service = useS3();
  describeBlobCollection("sqlite and S3", () => openTemporaryStore({ blobs: s3(service().options()) }));
});

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
