export type { ToolPolicyOptions } from "@reprise/plugins/tool-policy";
export { toolPolicy } from "@reprise/plugins/tool-policy";
