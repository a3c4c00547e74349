import { type AiSdkState, type Encoded, inOrder } from "./encoder-state.ts";

const textId = ({ texts }: AiSdkState): string => `txt_${texts}`;

/** Each part of a step has its own id: a model may think, speak and think again. */
function reasoningId({ stepMessageId, reasonings }: AiSdkState): string {
  return reasonings <= 1 ? `reasoning_${stepMessageId}` : `reasoning_${stepMessageId}_${reasonings}`;
}

export function appendText(state: AiSdkState, delta: string): Encoded {
  // A token in an open part changes nothing of what is remembered.
  if (state.isTextOpen) return [state, [{ type: "text-delta", id: textId(state), delta }]];
  return inOrder(state, closeReasoning, (closed) => {
    const id = textId(closed);
    return [
      { ...closed, isTextOpen: true },
      [
        { type: "text-start", id },
        { type: "text-delta", id, delta },
      ],
    ];
  });
}

export function appendReasoning(state: AiSdkState, delta: string): Encoded {
  if (state.isReasoningOpen) return [state, [{ type: "reasoning-delta", id: reasoningId(state), delta }]];
  return inOrder(state, closeText, (closed) => {
    const opened = { ...closed, isReasoningOpen: true, reasonings: closed.reasonings + 1 };
    const id = reasoningId(opened);
    return [
      opened,
      [
        { type: "reasoning-start", id },
        { type: "reasoning-delta", id, delta },
      ],
    ];
  });
}

/** Ends whatever is being said. Clients refuse a word for a part that is not open, so nothing is left open behind a step. */
export function closeParts(state: AiSdkState): Encoded {
  return inOrder(state, closeText, closeReasoning);
}

function closeText(state: AiSdkState): Encoded {
  if (!state.isTextOpen) return [state, []];
  return [{ ...state, isTextOpen: false, texts: state.texts + 1 }, [{ type: "text-end", id: textId(state) }]];
}

function closeReasoning(state: AiSdkState): Encoded {
  if (!state.isReasoningOpen) return [state, []];
  return [{ ...state, isReasoningOpen: false }, [{ type: "reasoning-end", id: reasoningId(state) }]];
}
