export { createMemoryBlobStore } from "./memory-blob-store.ts";
export { createMemoryStore, createMemoryStoreWithBlobs } from "./memory-store.ts";
