export { buildChangeset } from "./build/build-changeset.ts";
export {
  buildCall,
  buildDecision,
  buildEntry,
  buildEvents,
  buildMessage,
  buildPatch,
  buildRun,
} from "./build/build-records.ts";
export type { FakeEnv, FakeEnvOptions, LogLine } from "./env/create-fake-env.ts";
export { createFakeEnv } from "./env/create-fake-env.ts";
export { FakeClock } from "./env/fake-clock.ts";
export type { FaultAction, HeldPoint } from "./env/fake-faults.ts";
export { FakeFaults } from "./env/fake-faults.ts";
export { describeStore } from "./store/describe-store.ts";
export type { Deviation, OpenedStore, OpenStore } from "./store/open-store.ts";
export { describeStoreModel } from "./store-model/describe-store-model.ts";
