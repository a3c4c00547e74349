export type { AcpBackendOptions, AcpHarness } from "@reprise/backends/acp";
export { acpBackend } from "@reprise/backends/acp";
