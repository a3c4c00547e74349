export type { ActiveAgents, HandoffOptions, NextRun } from "./handoff.ts";
export { activeAgents, handoff } from "./handoff.ts";
