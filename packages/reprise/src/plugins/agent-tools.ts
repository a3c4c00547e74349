export type { AgentToolsOptions, SubAgent, SubAgents, TaskLimitOptions } from "@reprise/plugins/agent-tools";
export { agentTools, subAgents } from "@reprise/plugins/agent-tools";
