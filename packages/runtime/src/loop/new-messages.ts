import type { Message, MessageInput } from "@reprise/contracts";
import { looksDerived } from "../thread/derived-ids.ts";
import type { LoadedThread } from "../thread/loaded-thread.ts";

export interface NewMessageOptions {
  /** The run the messages go into. */
  readonly runId: string;
  /** The run they were sent for: messages without an id get one that follows from it. */
  readonly sentFor: string;
  readonly thread: LoadedThread;
  /** Messages that are withdrawn in the same commit: who sends one again means a new one. */
  readonly withdrawn?: ReadonlySet<string>;
}

/** Messages the thread does not have yet, with unique ids. Sending one twice is idempotent. */
export function newMessages(
  inputs: readonly MessageInput[],
  { runId, sentFor, thread, withdrawn }: NewMessageOptions,
): readonly Message[] {
  const seen = new Set<string>();
  return inputs.flatMap((input, index) => {
    const isGone = input.id === undefined || thread.isSuperseded(input.id) || withdrawn?.has(input.id) === true;
    const isTaken = isGone || isForeign(thread, input.id ?? "");
    const id = isTaken ? `${sentFor}-u${index}` : (input.id ?? "");
    if (seen.has(input.id ?? id) || (thread.hasMessage(id) && !isTaken)) return [];
    seen.add(input.id ?? id);
    return [{ ...input, id, metadata: { ...input.metadata, run_id: runId } }];
  });
}

/** An id in the form of a run's own that the thread does not have: some later run will want it. */
function isForeign(thread: LoadedThread, id: string): boolean {
  return looksDerived(id) && !thread.hasMessage(id);
}
