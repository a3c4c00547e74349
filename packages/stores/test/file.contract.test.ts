import { describeBlobStore, describeStore, describeStoreCodec, describeStoreModel } from "@reprise/testkit";
import { openTemporaryFileStore } from "./file/temporary-file-store.ts";

describeStore("file", openTemporaryFileStore);
describeStoreModel("file", openTemporaryFileStore, { runs: 60 });
describeStoreCodec("file", openTemporaryFileStore);

describeBlobStore("file", async () => {
  const { store, reopen, close } = await openTemporaryFileStore();
  return { blobs: store.blobs, reopen: async () => (await reopen()).blobs, close };
});
