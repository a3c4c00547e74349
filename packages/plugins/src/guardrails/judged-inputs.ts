import type { Message, ModelRequest } from "@reprise/contracts";
import { type ActionCreators, defineState, type StateDefinition } from "@reprise/state";

/** The verdict on a message of a person or on the result of a tool in which a guardrail found something. */
export interface InputVerdict {
  readonly guardrail: string;
  /** `ask` counts as `block` in all other runs. The run that asked continues only after an approval. */
  readonly action: "block" | "redact" | "ask" | "approved";
  readonly run_id: string;
  /** The text that the model reads instead. */
  readonly text: string;
}

export interface JudgedInputs {
  /** Every message up to this one was looked at. */
  readonly checked_until: string | null;
  /** Calls without a result so far. Their results come to stand before later messages, and are looked at then. */
  readonly open_calls?: readonly string[];
  readonly verdicts: { readonly [messageId: string]: InputVerdict };
}

/** The verdicts of a thread, kept by the plugin: a message that was blocked once is not read by the model in a later run either. */
export const judgedInputs: StateDefinition<JudgedInputs> &
  ActionCreators<{
    note: [
      checkedUntil: string,
      verdicts: { readonly [messageId: string]: InputVerdict },
      openCalls: readonly string[],
    ];
  }> = defineState({
  path: "guardrails",
  initial: (): JudgedInputs => ({ checked_until: null, verdicts: {} }),
  actions: {
    note: (
      { verdicts },
      checkedUntil: string,
      found: { readonly [messageId: string]: InputVerdict },
      openCalls: readonly string[],
    ) => ({
      checked_until: checkedUntil,
      verdicts: { ...verdicts, ...found },
      ...(openCalls.length > 0 && { open_calls: openCalls }),
    }),
  },
});

/** The messages of people and the results of tools that were not looked at yet. */
export function uncheckedInputs(
  messages: readonly Message[],
  { checked_until, open_calls = [] }: Pick<JudgedInputs, "checked_until" | "open_calls">,
): readonly Message[] {
  const from = checked_until === null ? 0 : messages.findLastIndex(({ id }) => id === checked_until) + 1;
  return messages.filter(({ role, visibility, tool_call_id = "" }, index) => {
    if (role === "tool") return index >= from || open_calls.includes(tool_call_id);
    return role === "user" && visibility !== "internal" && index >= from;
  });
}

/** The calls that have no result yet. */
export function openCallsOf(messages: readonly Message[]): readonly string[] {
  const answered = new Set(messages.map(({ tool_call_id }) => tool_call_id));
  return messages.flatMap(({ tool_calls = [] }) => tool_calls.flatMap(({ id }) => (answered.has(id) ? [] : [id])));
}

/** A request without the messages that the model may not read, or may read only in part. */
export function withVerdicts(
  request: ModelRequest,
  verdicts: { readonly [messageId: string]: InputVerdict },
): ModelRequest {
  const messages = request.messages.map((message) => {
    const verdict = Object.hasOwn(verdicts, message.id) ? verdicts[message.id] : undefined;
    if (verdict === undefined || verdict.action === "approved") return message;
    return verdict.action === "redact" ? withText(message, verdict.text) : { ...message, content: verdict.text };
  });
  return { ...request, messages };
}

/** The same message with other words; its files stay. */
function withText(message: Message, text: string): Message {
  if (typeof message.content === "string") return { ...message, content: text };
  const files = message.content.filter(({ type }) => type !== "text");
  return { ...message, content: [{ type: "text", text }, ...files] };
}
