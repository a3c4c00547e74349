import { type AgUiEncoded, type AgUiState, inOrder } from "./encoder-state.ts";

/** The message that a step's text and calls are part of, by the id of the stored message. */
export function messageIdOf({ messageId, resets }: AgUiState): string {
  return resets === 0 ? messageId : `${messageId}_${resets + 1}`;
}

export function reasoningIdOf(messageId: string): string {
  return `reasoning_${messageId}`;
}

/** A step may speak, think and speak again: each time the same message is opened once more. */
export function appendText(state: AgUiState, delta: string): AgUiEncoded {
  const messageId = messageIdOf(state);
  // A token of what is being told changes nothing that is remembered.
  if (state.telling === "text") return [state, [{ type: "TEXT_MESSAGE_CONTENT", messageId, delta }]];
  return inOrder(state, closeTelling, (closed) => [
    { ...closed, telling: "text" },
    [
      { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
      { type: "TEXT_MESSAGE_CONTENT", messageId, delta },
    ],
  ]);
}

export function appendReasoning(state: AgUiState, delta: string): AgUiEncoded {
  const messageId = reasoningIdOf(messageIdOf(state));
  if (state.telling === "reasoning") return [state, [{ type: "REASONING_MESSAGE_CONTENT", messageId, delta }]];
  return inOrder(state, closeTelling, (closed) => [
    { ...closed, telling: "reasoning" },
    [
      { type: "REASONING_START", messageId },
      { type: "REASONING_MESSAGE_START", messageId, role: "reasoning" },
      { type: "REASONING_MESSAGE_CONTENT", messageId, delta },
    ],
  ]);
}

/** Ends what is being told. Clients refuse the end of a run with a message open. */
export function closeTelling(state: AgUiState): AgUiEncoded {
  const { telling, ...rest } = state;
  if (telling === undefined) return [state, []];
  const messageId = messageIdOf(state);
  if (telling === "text") return [rest, [{ type: "TEXT_MESSAGE_END", messageId }]];
  const reasoningId = reasoningIdOf(messageId);
  return [
    rest,
    [
      { type: "REASONING_MESSAGE_END", messageId: reasoningId },
      { type: "REASONING_END", messageId: reasoningId },
    ],
  ];
}
