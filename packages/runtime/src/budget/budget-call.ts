/** The ids under which the runtime itself asks, where a tool's id would stand. No tool can have one: theirs have no slash. */
const OWN = "reprise/";
export const BUDGET_CALL = "reprise/budget";
export const BACKEND_CALL = "reprise/backend";

/** Whether a call is a question of the runtime's own. The model did not ask for it and gets no result. */
export function isOwnQuestion({ tool_id }: { readonly tool_id: string }): boolean {
  return tool_id.startsWith(OWN);
}
