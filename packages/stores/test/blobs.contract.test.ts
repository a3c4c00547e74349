import { createFakeEnv, describeBlobStore } from "@reprise/testkit";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { createMemoryBlobStore } from "../src/memory/index.ts";
import { useServer } from "./postgres/use-server.ts";
import { COUNT_STRAY, countStrayIn } from "./support/stray-parts.ts";
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
