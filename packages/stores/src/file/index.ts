export type { FileStore, FileStoreOptions } from "./open-file-store.ts";
export { file, openFileStore } from "./open-file-store.ts";
