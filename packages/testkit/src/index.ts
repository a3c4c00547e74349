export type { OpenedStoreWithBlobs } from "./blob/describe-blob-collection.ts";
export { describeBlobCollection } from "./blob/describe-blob-collection.ts";
export { describeBlobStore } from "./blob/describe-blob-store.ts";
export type { OpenBlobStore, OpenedBlobStore } from "./blob/open-blob-store.ts";
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
export type { CodecOptions } from "./codec/describe-store-codec.ts";
export { describeStoreCodec } from "./codec/describe-store-codec.ts";
export type { FakeEnv } from "./env/create-fake-env.ts";
export { createFakeEnv } from "./env/create-fake-env.ts";
export { eventually } from "./eventually.ts";
export { describeProtocol, encodeScene } from "./protocol/describe-protocol.ts";
export type { ProtocolScene } from "./protocol/protocol-scene.ts";
export { loadScenes } from "./protocol/protocol-scene.ts";
export { describeStore } from "./store/describe-store.ts";
export type { Deviation, OpenedStore, OpenStore } from "./store/open-store.ts";
export { describeStoreModel } from "./store-model/describe-store-model.ts";
