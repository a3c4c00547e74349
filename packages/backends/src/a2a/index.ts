export type { A2aBackendOptions } from "./a2a-backend.ts";
export { a2aBackend } from "./a2a-backend.ts";
