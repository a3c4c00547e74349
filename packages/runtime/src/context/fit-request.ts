import { type ContextFact, type ModelRequest, RepriseError } from "@reprise/contracts";
import type { ContextWindow } from "../resolve/context-window.ts";
import type { TokenEstimator } from "./token-estimator.ts";
import { truncateMessages } from "./truncate-messages.ts";

/** A request that fits, and what was done to make it fit. */
export interface FittedRequest {
  readonly request: ModelRequest;
  readonly fact: ContextFact;
}

/**
 * Makes a request fit into a window, leaving its answer the room it needs, by leaving out the oldest messages. Answers with
 * `CONTEXT_WINDOW_EXCEEDED` when what may not be left out is too much: nothing is to be sent then.
 */
export function fitRequest(
  request: ModelRequest,
  window: ContextWindow,
  estimator: TokenEstimator,
): FittedRequest | RepriseError {
  const outputTokens = roomForAnswer(request, window);
  const room = window.tokens - outputTokens;
  const frame = estimator.estimateFrame(request);
  const { messages, tokens, dropped } = truncateMessages(request.messages, {
    tokens: room - frame,
    minRecent: window.minRecentMessages,
    sizeOf: (message) => estimator.estimateMessage(message),
  });
  const estimate = frame + tokens;
  if (estimate > room) return exceeded(estimate, { ...window, outputTokens });
  return {
    request: dropped === 0 ? request : { ...request, messages },
    fact: {
      window_tokens: window.tokens,
      output_tokens: outputTokens,
      estimated_tokens: estimate,
      estimated_by: estimator.method,
      dropped_messages: dropped,
    },
  };
}

/** A request that says how long its answer may be needs that much room, and no more. */
function roomForAnswer({ options: { max_tokens } }: ModelRequest, { outputTokens }: ContextWindow): number {
  return typeof max_tokens === "number" ? max_tokens : outputTokens;
}

function exceeded(estimate: number, { tokens, outputTokens }: ContextWindow): RepriseError {
  const message =
    `The request is about ${estimate} tokens without what could be left out; a window of ${tokens} tokens has room for ` +
    `${tokens - outputTokens} beside an answer of ${outputTokens}.`;
  return new RepriseError("CONTEXT_WINDOW_EXCEEDED", message, {
    details: { estimated_tokens: estimate, window_tokens: tokens, output_tokens: outputTokens },
  });
}
