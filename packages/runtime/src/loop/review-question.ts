import {
  type Decision,
  type Message,
  type SuspendRequest,
  type ToolCallRecord,
  toolPending,
  toolSuccess,
} from "@reprise/contracts";
import { getAt, type Json, ops } from "@reprise/state";
import { REVIEW_CALL } from "../budget/budget-call.ts";
import type { Owned } from "../resolve/resolved-agent.ts";
import type { RunEditor } from "../run/ports.ts";
import { ticketFor } from "../thread/ask-about.ts";
import { messageIdOf } from "../thread/derived-ids.ts";
import { RUN_PATH } from "../thread/run-state.ts";
import type { Turn } from "../turn/turn.ts";
import type { BudgetedRun } from "./budget-question.ts";
import { openQuestion } from "./open-question.ts";
import { endCall, moveCall, type SettlingRun, suspendCall } from "./settle-call.ts";
import { showAnswer } from "./step-events.ts";

/** An answer that waits for a person: as durable as its run, part of no thread before it is approved. */
interface HeldAnswer {
  readonly turn: Pick<Turn, "text" | "reasoning" | "encrypted" | "calls">;
  readonly message?: Message;
  readonly calls: readonly ToolCallRecord[];
}

const HELD_PATH = [RUN_PATH, "held_answer"];

/**
 * Asks a person about a step: whether the model may be asked, or, with an answer, whether the answer may count. The question is a call
 * of the runtime's own; its arguments are the answer as a person reads it.
 */
export function askForReview(
  workspace: SettlingRun,
  stepId: string,
  { plugin, value: request }: Owned<SuspendRequest>,
  answer?: HeldAnswer,
): void {
  const call = openQuestion(workspace, stepId, REVIEW_CALL, answer === undefined ? {} : describeAnswer(answer));
  // Messages, calls and turns are made of JSON; their interfaces hide it.
  if (answer !== undefined) workspace.addPatch("runtime", [ops.set(HELD_PATH, answer as unknown as Json)]);
  const ticket = ticketFor(call, request, { askedBy: `plugin:${plugin}`, mode: "replay_tool_call" });
  suspendCall(workspace, call, ticket, toolPending(REVIEW_CALL, ticket));
}

function describeAnswer({ turn: { text }, calls }: HeldAnswer): Json {
  const asked = calls.map(({ tool_id, arguments: given }) => ({ name: tool_id, arguments: given }));
  return { text, ...(asked.length > 0 && { tool_calls: asked }) };
}

/** What is wrong with an edited answer; undefined when it can be published. */
export function findAnswerProblem(call: ToolCallRecord, edited: Json): string | undefined {
  if (getAt(call.arguments, ["text"]) === undefined) return "the question is about the input, which cannot be edited";
  return typeof getAt(edited, ["text"]) === "string" ? undefined : "text must be a string";
}

/** A review that was not answered in time counts as denied. */
export function endReview(workspace: Pick<BudgetedRun, "ending">, detail: string): void {
  workspace.ending = { type: "stopped", value: { code: "review_denied", detail } };
}

/** Applies the decision about a step. An approved answer becomes part of the thread, with the edited text if there is one. */
export function decideReview(workspace: BudgetedRun & RunEditor, suspended: ToolCallRecord, decision: Decision): void {
  if (decision.action === "cancel") {
    const reason = decision.reason ?? "the review was denied";
    endCall(workspace, suspended, toolSuccess(REVIEW_CALL, { approved: false, reason }), "cancel");
    return endReview(workspace, reason);
  }
  const decided = moveCall(workspace, suspended, "decide");
  endCall(workspace, decided, toolSuccess(REVIEW_CALL, { approved: true }), "succeed");
  const held = getAt(workspace.document, HELD_PATH);
  if (held === undefined) return;
  workspace.addPatch("runtime", [ops.delete(HELD_PATH)]);
  const edited = getAt(decision.arguments ?? {}, ["text"]);
  // Written by `askForReview`.
  publishAnswer(
    workspace,
    suspended.step_id,
    held as unknown as HeldAnswer,
    typeof edited === "string" ? edited : undefined,
  );
}

/** The step is told as any other: it was put off, and is taken here. */
function publishAnswer(
  workspace: BudgetedRun & RunEditor,
  stepId: string,
  { turn, message, calls }: HeldAnswer,
  edited: string | undefined,
): void {
  workspace.setRun({ steps: workspace.run.steps + 1 });
  workspace.emitOnCommit("step_start", { message_id: messageIdOf(stepId) }, stepId);
  showAnswer({ emit: (type, data, step) => workspace.emitOnCommit(type, data, step) }, stepId, {
    ...turn,
    text: edited ?? turn.text,
  });
  if (message !== undefined) workspace.addMessage(edited === undefined ? message : withText(message, edited));
  for (const call of calls) workspace.setCall({ ...call, updated_at: workspace.now });
  workspace.emitOnCommit("step_end", {}, stepId);
}

function withText(message: Message, text: string): Message {
  if (typeof message.content === "string") return { ...message, content: text };
  return { ...message, content: message.content.map((part) => (part.type === "text" ? { ...part, text } : part)) };
}
