export { createMemoryBlobStore } from "./memory-blob-store.ts";
export { createMemoryStore } from "./memory-store.ts";
