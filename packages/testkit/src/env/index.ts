export type { FakeEnv, FakeEnvOptions, LogLine } from "./create-fake-env.ts";
export { createFakeEnv } from "./create-fake-env.ts";
export { FakeClock } from "./fake-clock.ts";
export type { FaultAction, HeldPoint } from "./fake-faults.ts";
export { FakeFaults } from "./fake-faults.ts";
