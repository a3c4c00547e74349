export type { ToolPolicyOptions } from "./tool-policy.ts";
export { toolPolicy } from "./tool-policy.ts";
