import { invalidRequest } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import { assertJson, type Json, parseJson } from "@reprise/state";

/** A request that came over NATS, as the route of its protocol takes it. */
export interface NatsRequest {
  readonly path: string;
  readonly body: Json;
}

type Fields = { readonly [key: string]: Json };

/** A protocol that is spoken over NATS: how a payload becomes a request, and how a failure is one of its events. */
export interface NatsProtocol {
  readonly subject: string;
  read(payload: Fields): NatsRequest;
  encodeFailure(message: string): Json;
}

const agUi: NatsProtocol = {
  subject: "agentos.ag-ui.runs",
  read(payload) {
    const { request } = payload;
    if (!isPlainObject(request)) throw invalidRequest("request must be an object: the run input of AG-UI.");
    return { path: `/v1/ag-ui/agents/${agentOf(payload)}/runs`, body: request as Json };
  },
  encodeFailure: (message) => ({ type: "RUN_ERROR", message }),
};

const aiSdk: NatsProtocol = {
  subject: "agentos.ai-sdk.runs",
  /** Both shapes: `sessionId` and `input`, and the one that `useChat` posts, `id` and `messages`. */
  read(payload) {
    const { agentId: _agent, replySubject: _reply, sessionId, input, ...rest } = payload;
    const path = `/v1/ai-sdk/agents/${agentOf(payload)}/runs`;
    if (sessionId === undefined && input === undefined) return { path, body: rest };
    if (typeof sessionId !== "string" || sessionId.trim() === "")
      throw invalidRequest("sessionId must be a non-empty string.");
    if (typeof input !== "string" || input.trim() === "") throw invalidRequest("input must be a non-empty string.");
    return { path, body: { ...rest, id: sessionId, messages: [{ role: "user", content: input }] } };
  },
  encodeFailure: (errorText) => ({ type: "error", errorText }),
};

export const NATS_PROTOCOLS: Readonly<Record<"agUi" | "aiSdk", NatsProtocol>> = { agUi, aiSdk };

/** Reads a payload. Throws `INVALID_REQUEST`, which says what is wrong. */
export function readPayload(text: string): Fields {
  let payload: unknown;
  try {
    payload = parseJson(text);
    assertJson(payload);
  } catch {
    throw invalidRequest("The payload must be JSON.");
  }
  if (!isPlainObject(payload)) throw invalidRequest("The payload must be a JSON object.");
  // Just checked.
  return payload as Fields;
}

function agentOf({ agentId }: Fields): string {
  if (typeof agentId === "string" && agentId.trim() !== "") return encodeURIComponent(agentId);
  throw invalidRequest("agentId must be a non-empty string.");
}

/**
 * Where the events go: the inbox of the message, or the `replySubject` of its payload. A payload is written by anyone who may publish, so it
 * cannot name a wildcard, a subject of the system or one that the gateway itself listens to.
 */
export function findReply(
  inbox: string | undefined,
  payload: Fields | undefined,
  own: readonly string[],
): string | undefined {
  if (inbox !== undefined && inbox !== "") return inbox;
  const named = payload?.replySubject;
  if (typeof named !== "string" || named === "") return undefined;
  const isPlain = /^[^\s.*>$]+(\.[^\s.*>]+)*$/.test(named);
  return isPlain && !own.includes(named) ? named : undefined;
}
