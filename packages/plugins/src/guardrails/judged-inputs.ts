import type { Message, ModelRequest } from "@reprise/contracts";
import { type ActionCreators, defineState, type StateDefinition } from "@reprise/state";

/** The verdict on a message in which a guardrail found something. */
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
  readonly verdicts: { readonly [messageId: string]: InputVerdict };
}

/** The verdicts of a thread, kept by the plugin: a message that was blocked once is not read by the model in a later run either. */
export const judgedInputs: StateDefinition<JudgedInputs> &
  ActionCreators<{ note: [checkedUntil: string, verdicts: { readonly [messageId: string]: InputVerdict }] }> =
  defineState({
    path: "guardrails",
    initial: (): JudgedInputs => ({ checked_until: null, verdicts: {} }),
    actions: {
      note: ({ verdicts }, checkedUntil: string, found: { readonly [messageId: string]: InputVerdict }) => ({
        checked_until: checkedUntil,
        verdicts: { ...verdicts, ...found },
      }),
    },
  });

/** The messages of people that were not looked at yet. */
export function uncheckedInputs(messages: readonly Message[], checkedUntil: string | null): readonly Message[] {
  const from = checkedUntil === null ? 0 : messages.findLastIndex(({ id }) => id === checkedUntil) + 1;
  return messages.slice(from).filter(({ role, visibility }) => role === "user" && visibility !== "internal");
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
