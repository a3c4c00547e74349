export type { A2aAgents, A2aAgentsOptions } from "./a2a-agents.ts";
export { a2aAgents } from "./a2a-agents.ts";
export type { A2aBackendOptions } from "./a2a-backend.ts";
export { a2aBackend } from "./a2a-backend.ts";
