export type {
  CodecOptions,
  Deviation,
  OpenBlobStore,
  OpenedBlobStore,
  OpenedStore,
  OpenedStoreWithBlobs,
  OpenStore,
} from "@reprise/testkit";
export {
  buildCall,
  buildChangeset,
  buildDecision,
  buildEntry,
  buildEvents,
  buildMessage,
  buildPatch,
  buildRun,
  describeBlobCollection,
  describeBlobStore,
  describeStore,
  describeStoreCodec,
  describeStoreModel,
} from "@reprise/testkit";
