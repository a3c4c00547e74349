import type { AgentEvent } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { type AcpEncodingOptions, encodeAcpEvent } from "./encode-event.ts";
import { type AcpFrame, type AcpState, INITIAL_ACP_STATE } from "./encoder-state.ts";

/** Writes the events of one run as the messages a client gets, one a line. */
export interface AcpEncoder {
  encode(event: AgentEvent): string;
  /** Takes an event in that the client already has. */
  skip(event: AgentEvent): void;
  /** Nothing: the last event of a run says that it is over. */
  end(): string;
  readonly state: AcpState;
}

export function createAcpEncoder(
  sessionId: string,
  options: AcpEncodingOptions & { readonly state?: AcpState } = {},
): AcpEncoder {
  let current = options.state ?? INITIAL_ACP_STATE;
  return {
    encode(event) {
      const [next, frames] = encodeAcpEvent(current, event, options);
      current = next;
      return frames.map((frame) => `${JSON.stringify(messageOf(sessionId, frame))}\n`).join("");
    },
    skip(event) {
      [current] = encodeAcpEvent(current, event, options);
    },
    end: () => "",
    get state() {
      return current;
    },
  };
}

/** A frame as a message of JSON-RPC. Requests and answers get their ids from the connection. */
function messageOf(sessionId: string, frame: AcpFrame): Json {
  // Updates and questions are plain JSON; their interfaces hide it.
  switch (frame.type) {
    case "update":
      return { method: "session/update", params: { sessionId, update: frame.update as unknown as Json } };
    case "question":
      return {
        method: "session/request_permission",
        params: { sessionId, ...(frame.question.permission as unknown as { readonly [key: string]: Json }) },
      };
    case "answered":
      return { method: "$/cancel_request", params: { requestId: frame.callId } };
    case "stop":
      return { result: { stopReason: frame.stopReason } };
    case "failed":
      return {
        error: {
          code: -32603,
          message: frame.message,
          ...(frame.code !== undefined && { data: { code: frame.code } }),
        },
      };
    default:
      return frame satisfies never;
  }
}
