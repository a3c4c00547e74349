import { createFakeEnv, describeStore, describeStoreCodec, describeStoreModel } from "@reprise/testkit";
import { createMemoryStore } from "../src/memory/memory-store.ts";

async function open() {
  const { clock, advance } = createFakeEnv();
  const store = createMemoryStore({ clock });
  return { store, advance, close: () => store.close() };
}

describeStore("memory", open);
describeStoreModel("memory", open, { runs: 200 });
describeStoreCodec("memory", open);
