export type { A2aBackendOptions } from "@reprise/backends/a2a";
export { a2aBackend } from "@reprise/backends/a2a";
