import { continuesByItself, type SuspendTicket } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { A2aMessage, A2aPart } from "./wire.ts";

/** An open question of a run, in an event or in a call's row. */
export interface OpenQuestion {
  /** The id of the call: a decision names it as its `target_id`. */
  readonly id: string;
  readonly ticket: SuspendTicket;
  readonly suspension: number;
  readonly binding_hash: string;
  readonly expires_at?: number;
}

/** Whether a client can answer a question. A call that waits for another run, or for a time, asks no one. */
export function asksClient({ ticket }: Pick<OpenQuestion, "ticket">): boolean {
  return !continuesByItself({ ticket });
}

/** Changes when other questions are open. */
export function nameQuestions(questions: readonly Pick<OpenQuestion, "id" | "suspension">[]): string {
  return questions.map(({ id, suspension }) => `${id}.${suspension}`).join("+");
}

/** The message of a task that needs input: each question in words, and as the data that a decision refers to. */
export function encodeQuestions(
  questions: readonly OpenQuestion[],
  { taskId, contextId }: { readonly taskId: string; readonly contextId: string },
): A2aMessage {
  const asked = questions.filter(asksClient);
  return {
    messageId: `${taskId}-asks-${nameQuestions(asked)}`,
    taskId,
    contextId,
    role: "ROLE_AGENT",
    parts: asked.flatMap(describe),
  };
}

function describe({ id, ticket, suspension, binding_hash, expires_at }: OpenQuestion): readonly A2aPart[] {
  const { action, message, parameters, response_schema } = ticket.suspension;
  const question: { readonly [key: string]: Json } = {
    target_id: id,
    action,
    tool: ticket.pending.name,
    arguments: ticket.pending.arguments,
    ...(parameters !== undefined && { parameters }),
    ...(response_schema !== undefined && { response_schema }),
    suspension,
    binding_hash,
    ...(expires_at !== undefined && { expires_at }),
  };
  return [
    { text: message ?? `${ticket.pending.name} needs an answer.` },
    { data: { question }, mediaType: "application/json" },
  ];
}
