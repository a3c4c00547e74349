import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describeBlobStore, describeStore, describeStoreCodec, describeStoreModel } from "@reprise/testkit";
import { openTemporaryFileStore } from "./file/temporary-file-store.ts";

describeStore("file", openTemporaryFileStore);
describeStoreModel("file", openTemporaryFileStore, { runs: 60 });
describeStoreCodec("file", openTemporaryFileStore);

describeBlobStore("file", async () => {
  const { store, folder, reopen, close } = await openTemporaryFileStore();
  const countStray = async () => readdirSync(join(folder, "temporary")).length;
  return { blobs: store.blobs, reopen: async () => (await reopen()).blobs, countStray, close };
});
