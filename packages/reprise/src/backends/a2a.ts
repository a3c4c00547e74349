export type { A2aAgents, A2aAgentsOptions, A2aBackendOptions } from "@reprise/backends/a2a";
export { a2aAgents, a2aBackend } from "@reprise/backends/a2a";
