import type { ServerResponse } from "node:http";
import type { ScriptStep } from "@reprise/models";
import { encodeWholeCompletion } from "./chat-completions.ts";
import type { Frame, Protocol, RawAnswer, ServerTurn, SpokenAnswer } from "./server-script.ts";

/** What the server needs to answer one request. */
export interface Asked {
  readonly protocol: Protocol;
  readonly model: string;
  /** Whether the client wants a stream. */
  readonly isStreamed: boolean;
}

/** The status a failure of each kind has, and the provider's word for it. */
const FAILURES: Readonly<
  Record<Extract<ScriptStep, { fail: unknown }>["fail"], readonly [status: number, code: string]>
> = {
  rate_limit: [429, "rate_limit_error"],
  overloaded: [529, "overloaded_error"],
  timeout: [408, "timeout_error"],
  network: [502, "api_error"],
  stream_interrupted: [502, "api_error"],
  server_error: [500, "api_error"],
  auth: [401, "authentication_error"],
  quota: [402, "billing_error"],
  invalid_request: [400, "invalid_request_error"],
  context_length: [400, "context_length_exceeded"],
  content_filter: [400, "content_filter"],
  malformed_response: [500, "api_error"],
  answer_too_large: [500, "api_error"],
  unknown: [400, "unknown"],
  cancelled: [499, "request_cancelled"],
};

/** Answers one request as its turn says. */
export async function playAnswer(response: ServerResponse, turn: ServerTurn, asked: Asked): Promise<void> {
  if (typeof turn === "string") return speak(response, { steps: [{ text: turn }] }, asked);
  if (isSteps(turn)) return speak(response, { steps: turn }, asked);
  if ("silent" in turn) return;
  return "steps" in turn ? speak(response, turn, asked) : playRaw(response, turn);
}

function isSteps(turn: Exclude<ServerTurn, string>): turn is readonly ScriptStep[] {
  return Array.isArray(turn);
}

async function speak(response: ServerResponse, { steps, ...answer }: SpokenAnswer, asked: Asked): Promise<void> {
  const { protocol, model, isStreamed } = asked;
  const [first] = steps;
  if (first !== undefined && "fail" in first) {
    const [status, code] = FAILURES[first.fail];
    return playRaw(response, { status, body: protocol.encodeError(status, code) });
  }
  if (answer.whole || !isStreamed) {
    const { encodeWhole = encodeWholeCompletion } = protocol;
    return playRaw(response, { body: encodeWhole(steps, model) });
  }
  response.writeHead(200, { "content-type": protocol.contentType, "x-request-id": "request-1" });
  await write(response, protocol.encode(steps, model), answer);
}

async function playRaw(response: ServerResponse, answer: RawAnswer): Promise<void> {
  const { status = 200, headers = {}, body = "" } = answer;
  const isStream = answer.events !== undefined || answer.pieces !== undefined;
  const isPlain = typeof body === "string" || body instanceof Uint8Array;
  const type = isStream ? "text/event-stream" : isPlain ? "text/plain" : "application/json";
  response.writeHead(status, { "content-type": type, ...headers });
  await write(response, rawFrames(answer), {});
}

function* rawFrames({ body = "", events, pieces, ending }: RawAnswer): Generator<Frame> {
  for (const event of events ?? []) yield `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`;
  if (pieces !== undefined) yield* pieces;
  else if (events === undefined) {
    yield typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
  }
  if (ending !== undefined) yield { fault: ending };
}

/** Writes frames one after the other, until they end or something happens to the connection. */
async function write(
  response: ServerResponse,
  frames: Iterable<Frame>,
  { cutAfterBytes = Number.POSITIVE_INFINITY, pieceBytes, cutBy }: Omit<SpokenAnswer, "steps" | "whole">,
): Promise<void> {
  let left = cutAfterBytes;
  for (const frame of frames) {
    // The client has left: an endless answer must end.
    if (response.destroyed) return;
    if (typeof frame === "object" && "fault" in frame) {
      if (frame.fault === "stall") response.flushHeaders();
      else if (cutBy === "end") response.end();
      else cut(response);
      return;
    }
    const bytes = Buffer.from(frame);
    for (const piece of split(bytes.subarray(0, left), pieceBytes ?? bytes.length)) await send(response, piece);
    left -= bytes.length;
    if (left <= 0) return cut(response);
  }
  response.end();
}

function* split(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Resolves when the bytes have left the process: what came before a cut must arrive, and pieces must not be joined again. */
function send(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => response.write(bytes, () => resolve()));
}

function cut(response: ServerResponse): void {
  response.flushHeaders();
  response.socket?.destroySoon();
}
