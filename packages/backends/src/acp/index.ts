export type { AcpBackendOptions } from "./acp-backend.ts";
export { acpBackend } from "./acp-backend.ts";
export type { AcpHarness } from "./harness-settings.ts";
