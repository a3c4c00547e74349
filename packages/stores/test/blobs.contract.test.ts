import { createFakeEnv, describeBlobStore } from "@reprise/testkit";
import { describe } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { createMemoryBlobStore } from "../src/memory/index.ts";
import { s3 } from "../src/s3/index.ts";
import { useServer } from "./postgres/use-server.ts";
import { objectsUnder, useS3 } from "./s3/use-s3.ts";
import { COUNT_STRAY, countObjectsIn, countStrayIn } from "./support/stray-parts.ts";
import { openTemporaryStore } from "./support/temporary-store.ts";

/** The blobs of a store, as a blob store of their own. */
interface WithBlobs<Store> {
  readonly store: Store;
  reopen(): Promise<Store>;
  close(): Promise<void>;
}

function blobsOf<Store extends { readonly blobs: Blobs }, Blobs>({ store, reopen, close }: WithBlobs<Store>) {
  return { blobs: store.blobs, reopen: async () => (await reopen()).blobs, close };
}

describeBlobStore("memory", async () => ({ blobs: createMemoryBlobStore(createFakeEnv()), close: async () => {} }));

describeBlobStore("sqlite", async () => {
  const opened = await openTemporaryStore();
  return { ...blobsOf(opened), countStray: async () => countStrayIn(opened.file) };
});

describeWithService("postgres", "on a real Postgres", (service) => {
  const { openSchema } = useServer(service);
  describeBlobStore("postgres", async () => {
    const opened = await openSchema();
    return { ...blobsOf(opened), countStray: async () => Number((await opened.sql(COUNT_STRAY))[0]?.stray) };
  });
});

describe("with their bytes in S3", () => {
  const service = useS3();

  describeBlobStore("sqlite and S3", async () => {
    const options = service().options();
    const opened = await openTemporaryStore({ blobs: s3(options) });
    const countStray = async (): Promise<number> => countStrayIn(opened.file) + countLoose(opened.file, options.prefix);
    return { ...blobsOf(opened), countStray };
  });

  describeWithService("postgres", "on a real Postgres", (postgres) => {
    const { openSchema } = useServer(postgres);
    describeBlobStore("postgres and S3", async () => {
      const opened = await openSchema({ blobs: s3(service().options()) });
      return { ...blobsOf(opened), countStray: async () => Number((await opened.sql(COUNT_STRAY))[0]?.stray) };
    });
  });

  /** Objects that no blob has. */
  function countLoose(file: string, prefix = ""): number {
    return objectsUnder(service(), prefix).length - countObjectsIn(file);
  }
});
