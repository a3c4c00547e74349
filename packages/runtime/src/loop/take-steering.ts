import type { RunWorkspace } from "./run-workspace.ts";

/**
 * Takes in what was said to the run while it was at work. The messages become the run's own in the commit that settles
 * their entries; until then the mailbox has them, and a run that ends before leaves them there. Tells whether any came.
 */
export async function takeSteering(workspace: RunWorkspace): Promise<boolean> {
  if (!workspace.mail.take()) return false;
  const { run_id, thread_id } = workspace.run;
  const { steering = [] } = await workspace.store.readInbox(thread_id, run_id);
  for (const { entry_id, run_id: own, request } of steering) {
    for (const [index, message] of (request?.messages ?? []).entries()) {
      const id = message.id ?? `${own}-u${index}`;
      workspace.addMessage({ ...message, id, metadata: { ...message.metadata, run_id } });
    }
    workspace.settleEntry({ entry_id, status: "accepted", into_run: run_id });
  }
  return steering.length > 0;
}
