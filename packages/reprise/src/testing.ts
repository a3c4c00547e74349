export type { Script, ScriptedModel, ScriptStep, ScriptTurn } from "@reprise/models";
export { scriptedModel } from "@reprise/models";
export type { FakeEnv, FakeEnvOptions, FaultAction, HeldPoint, LogLine } from "@reprise/testkit/env";
export { createFakeEnv, FakeClock, FakeFaults } from "@reprise/testkit/env";
export type {
  ModelServer,
  NoAnswer,
  RawAnswer,
  RecordedRequest,
  ServerScript,
  ServerTurn,
  SpokenAnswer,
} from "@reprise/testkit/model-server";
export { startModelServer } from "@reprise/testkit/model-server";
