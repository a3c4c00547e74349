import type { RunPolicy } from "@reprise/contracts";

/** Whether a run may use a tool: on the list when there is one, and not excluded. */
export function isAllowed({ allowed_tools, excluded_tools }: RunPolicy, toolId: string): boolean {
  if (excluded_tools?.includes(toolId) === true) return false;
  return allowed_tools?.includes(toolId) ?? true;
}
