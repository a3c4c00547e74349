import { activeAgentOf, type MailboxEntry, RepriseError } from "@reprise/contracts";
import { ops } from "@reprise/state";
import type { Commits, Conversation, Mailbox, Outside, RunView, StateAccess } from "../run/ports.ts";
import type { LoadedThread } from "../thread/loaded-thread.ts";
import { newMessages } from "./new-messages.ts";
import { readInbox } from "./read-inbox.ts";

/** The parts of a run that messages to it while it works touch. */
interface SteeredRun
  extends Pick<RunView, "run">,
    Mailbox,
    Outside,
    Pick<Conversation, "addMessage">,
    StateAccess,
    Pick<Commits, "hasChanges" | "commit" | "discard"> {
  readonly thread: LoadedThread;
}

/**
 * Takes in what was said to the run while it was at work, in a commit of its own: before it the mailbox has the messages,
 * and a run that ends leaves them there; after it they are the run's, and cannot be withdrawn. Tells whether any came.
 */
export async function takeSteering(workspace: SteeredRun): Promise<boolean> {
  if (!workspace.mail.take("steering")) return false;
  const { steering = [] } = await readInbox(workspace);
  const stranger = steering.findIndex((entry) => !isMeantFor(workspace, entry));
  // In order: what comes after one that must be a run of its own waits behind it.
  const taken = stranger < 0 ? steering : steering.slice(0, stranger);
  if (taken.length === 0) return false;
  if (workspace.hasChanges) await workspace.commit("assistant_turn");
  for (const entry of taken) takeIn(workspace, entry);
  return commitOrLeave(workspace);
}

/** One of them may be called off between our look and our write: then all are left where they are, and looked at anew. */
async function commitOrLeave(workspace: SteeredRun): Promise<boolean> {
  try {
    await workspace.commit("user_message");
    return true;
  } catch (error) {
    if (!RepriseError.is(error, "ILLEGAL_TRANSITION")) throw error;
    workspace.discard();
    workspace.mail.raise();
    return false;
  }
}

/** A request for another agent or run, or with rights of its own, is no part of this run. */
function isMeantFor({ run }: Pick<RunView, "run">, { request }: MailboxEntry): boolean {
  const isForIts = request?.agent_id === run.agent_id || request?.agent_id === activeAgentOf(run);
  const isForThis = request?.for_run_id === undefined || request.for_run_id === run.run_id;
  return isForIts && isForThis && request.policy === undefined;
}

function takeIn(workspace: SteeredRun, { entry_id, run_id: own, request }: MailboxEntry): void {
  const { run_id } = workspace.run;
  const { thread } = workspace;
  for (const message of newMessages(request?.messages ?? [], { runId: run_id, sentFor: own, thread })) {
    workspace.addMessage(message);
  }
  const asked = Object.entries(request?.state ?? {}).map(([key, value]) => ops.set([key], value));
  workspace.addPatch("request", asked);
  workspace.settleEntry({ entry_id, status: "accepted", into_run: run_id });
}
