import { createMemoryBlobStore } from "@reprise/runtime";
import { createFakeEnv, describeBlobStore } from "@reprise/testkit";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { useServer } from "./postgres/use-server.ts";
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

describeBlobStore("sqlite", async () => blobsOf(await openTemporaryStore()));

describeWithService("postgres", "on a real Postgres", (service) => {
  const { openSchema } = useServer(service);
  describeBlobStore("postgres", async () => blobsOf(await openSchema()));
});
