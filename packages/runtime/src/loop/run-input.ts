import { textOf } from "@reprise/contracts";
import type { RunWorkspace } from "./run-workspace.ts";

/** What the run was asked for, for runs that no model reads. */
export function inputOf({ run, thread }: RunWorkspace): string {
  const asked = thread.messages.filter(({ role }) => role === "user");
  const own = asked.filter(({ metadata }) => metadata?.run_id === run.run_id);
  return (own.length > 0 ? own : asked.slice(-1)).map(textOf).join("\n\n");
}
