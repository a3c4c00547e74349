export type { A2aBackendOptions } from "./a2a/index.ts";
export { a2aBackend } from "./a2a/index.ts";
export type { AcpBackendOptions, AcpHarness } from "./acp/index.ts";
export { acpBackend } from "./acp/index.ts";
