import { type Message, textOf } from "@reprise/contracts";
import type { Conversation, RunView } from "../run/ports.ts";
import type { LoadedThread } from "../thread/loaded-thread.ts";

/** What a step came to. */
export interface StepSummary {
  readonly text: string;
  /** The tools the model called, in order. */
  readonly tools: readonly string[];
  /** Whether the model ran out of room and did not continue. */
  readonly is_truncated: boolean;
  /** The message that was the thread's last when the step was over: what came after it, the model has not read. */
  readonly last_message_id: string | undefined;
}

/**
 * The last step of a run, read from the thread: so it is the same for an owner that made the step and for one that took
 * over after a decision a day later. Undefined when the run has said nothing yet.
 */
export function recallStep({
  run,
  thread,
}: Pick<RunView, "run"> & { readonly thread: Pick<LoadedThread, "messages"> }): StepSummary | undefined {
  if (run.steps === 0) return undefined;
  const message = thread.messages.findLast(
    ({ role, metadata }) => role === "assistant" && metadata?.run_id === run.run_id,
  );
  if (message === undefined) return undefined;
  return { text: textOf(message), tools: toolsOf(message), is_truncated: false, last_message_id: message.id };
}

function toolsOf({ tool_calls = [] }: Message): readonly string[] {
  return tool_calls.map(({ name }) => name);
}

/** Whether the model has nothing more to say to what it knows. */
export function isFinal({ lastMessage }: Pick<Conversation, "lastMessage">, step: StepSummary): boolean {
  return step.tools.length === 0 && lastMessage?.id === step.last_message_id;
}

/** Whether every call of the run's last step failed. */
export function isRoundFailed({ run }: Pick<RunView, "run">, messages: readonly Message[]): boolean {
  const isOwn = ({ role, metadata }: Message): boolean => role === "assistant" && metadata?.run_id === run.run_id;
  const asked = messages.findLastIndex(isOwn);
  const calls = new Set(messages[asked]?.tool_calls?.map(({ id }) => id));
  const results = messages.slice(asked + 1).filter(({ tool_call_id }) => calls.has(tool_call_id ?? ""));
  return results.length > 0 && results.every(({ metadata }) => metadata?.status === "error");
}
