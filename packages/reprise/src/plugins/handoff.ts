export type { ActiveAgents, HandoffOptions, NextRun } from "@reprise/plugins/handoff";
export { activeAgents, handoff } from "@reprise/plugins/handoff";
