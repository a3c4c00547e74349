export type { AgentRecoveryOptions } from "@reprise/plugins/agent-recovery";
export { agentRecovery } from "@reprise/plugins/agent-recovery";
