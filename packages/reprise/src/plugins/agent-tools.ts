export type { AgentToolsOptions, SubAgent, SubAgents } from "@reprise/plugins/agent-tools";
export { agentTools, subAgents } from "@reprise/plugins/agent-tools";
