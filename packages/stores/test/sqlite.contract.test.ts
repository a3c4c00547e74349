import { createFakeEnv, describeStore, describeStoreModel } from "@reprise/testkit";
import { openInThreadStore } from "./support/in-thread-store.ts";
import { openTemporaryStore } from "./support/temporary-store.ts";

describeStore("sqlite", openTemporaryStore);
describeStoreModel("sqlite", openTemporaryStore, { runs: 5 });

/** The same rules and statements without a second thread, so that many histories can be tried. */
describeStoreModel(
  "sqlite, in one thread,",
  async () => {
    const { clock, advance } = createFakeEnv();
    return { ...openInThreadStore(clock), advance };
  },
  { runs: 100 },
);
