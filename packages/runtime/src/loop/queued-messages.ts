import type { Message } from "@reprise/contracts";
import { getAt, type Json, ops } from "@reprise/state";
import type { CallBook, Conversation, StateAccess } from "../run/ports.ts";
import { RUN_PATH } from "../thread/run-state.ts";

/** Where messages wait for the end of a round that has open calls. */
const QUEUED_PATH = [RUN_PATH, "queued"];

/** Queued messages wait in the state while a call of their round has no result, and come after the last one. */
export function placeQueued(
  workspace: Pick<CallBook, "openCalls"> & Pick<Conversation, "addMessage"> & StateAccess,
  queued: readonly Message[],
): void {
  if (workspace.openCalls.length > 0) {
    // A message is JSON; its interface hides that from the compiler.
    const wait = queued.map((message) => ops.append(QUEUED_PATH, message as unknown as Json));
    workspace.addPatch("runtime", wait);
    return;
  }
  const waiting = getAt(workspace.document, QUEUED_PATH);
  if (Array.isArray(waiting)) {
    // What waits there was put there as messages, just above.
    for (const message of waiting) workspace.addMessage(message as unknown as Message);
    workspace.addPatch("runtime", [ops.delete(QUEUED_PATH)]);
  }
  for (const message of queued) workspace.addMessage(message);
}
