export type { AgentRecoveryOptions } from "./agent-recovery.ts";
export { agentRecovery } from "./agent-recovery.ts";
