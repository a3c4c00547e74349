import { describeBlobCollection, describeBlobStore, describeStore, describeStoreModel } from "@reprise/testkit";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { useServer } from "./postgres/use-server.ts";

describeWithService("postgres", "on two databases of a real Postgres", (service) => {
  const { openSharedSet } = useServer(service);
  describeStore("partitioned", openSharedSet);
  describeStoreModel("partitioned", openSharedSet, { runs: 5 });
  describeBlobCollection("partitioned", openSharedSet);
  describeBlobStore("partitioned", async () => {
    const { store, reopen, close } = await openSharedSet();
    return { blobs: store.blobs, reopen: async () => (await reopen()).blobs, close };
  });
});
