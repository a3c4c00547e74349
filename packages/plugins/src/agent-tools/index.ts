export type { AgentToolsOptions, TaskLimitOptions } from "./agent-tools.ts";
export { agentTools } from "./agent-tools.ts";
export type { SubAgent, SubAgents } from "./sub-agents.ts";
export { subAgents } from "./sub-agents.ts";
