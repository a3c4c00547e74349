import { type AgentEvent, type EventCursor, parseCursor } from "@reprise/contracts";
import { encodeSseFrame } from "@reprise/protocols";
import {
  createMcpEncoder,
  decodeMcpMessage,
  decodeQuestionId,
  findArgumentMismatch,
  INITIAL_MCP_STATE,
  type McpAbilities,
  type McpCall,
  RPC_CODES,
  type RpcId,
  type RpcMessage,
  rpcError,
  rpcResult,
  SESSION_VERSIONS,
} from "@reprise/protocols/mcp";
import type { EventIterator } from "@reprise/runtime";
import type { JsonObject } from "@reprise/state";
import type { HttpExchange } from "../host/route.ts";
import { answer, idHeaders } from "../http/answer.ts";
import { badRequest, HttpRefusal } from "../http/http-refusal.ts";
import { assertScope } from "../security/principal.ts";
import type { CursoredEvent } from "../sse/encode-frame.ts";
import type { FrameEncoding } from "../sse/frame-encoding.ts";
import { respondWithEvents, respondWithFrames } from "../sse/respond-with-events.ts";
import { findRun } from "../wire/find-record.ts";
import { answerRequest, initialize, toolListChanged } from "./answer-request.ts";
import { CANCELLED, runIdOf } from "./call-tool.ts";
import { answerQuestion } from "./decide-questions.ts";
import {
  canAsk,
  listMcpTools,
  type McpCaller,
  type McpReply,
  type McpRunReply,
  type McpSubscriptionReply,
  targetOf,
} from "./mcp-caller.ts";
import { MessageQueue } from "./message-queue.ts";
import { closeSession, findSession, openSession } from "./sessions.ts";

/** A message of a client. Requests of both eras come here; the message says which. */
export async function answerPost(exchange: HttpExchange): Promise<Response> {
  const { context, runtime, principal } = exchange;
  const message = decodeMcpMessage(await exchange.body.json(), context.req.raw.headers);
  if (message.kind === "refused") return answer(exchange, message.status, rpcError(message.id, message.error));
  if (message.kind === "request" && message.era === "stateless") {
    const caller = callerOf(exchange, "stateless", message.abilities ?? NO_ABILITIES, givenUp(exchange));
    const mismatch = message.method === "tools/call" ? findMismatch(caller, message.params, context) : undefined;
    if (mismatch === undefined) return send(exchange, await answerRequest(caller, message));
    return answer(exchange, 400, rpcError(message.id, { code: RPC_CODES.header_mismatch, message: mismatch }));
  }
  if (message.kind === "request" && message.method === "initialize") {
    const session = await openSession(runtime, principal, message.params);
    return answer(exchange, 200, rpcResult(message.id, initialize(message.params)), { "mcp-session-id": session });
  }
  const caller = await findCaller(exchange);
  if (message.kind === "request") return send(exchange, await answerRequest(caller, message));
  if (message.kind === "response") {
    const question = decodeQuestionId(message.id);
    if (question !== undefined && message.result !== undefined)
      await answerQuestion(caller, question.runId, question.suspensionId, message.result);
  } else if (message.method === "notifications/cancelled") await cancelCall(caller, message.params.requestId);
  return new Response(null, { status: 202, headers: exchange.headers });
}

/** The stream of a session, which tells changes of the list of tools; with `Last-Event-ID`, that of a call where a client lost it. */
export async function answerGet(exchange: HttpExchange): Promise<Response> {
  const after = exchange.context.req.header("last-event-id");
  const caller = await findCaller(exchange);
  if (after === undefined) return streamSubscription(exchange, { changed: toolListChanged() });
  assertScope(caller.principal, "read");
  const place = decodeEventId(after);
  const tool = listMcpTools(caller).find(({ name }) => name === place?.tool);
  const run = place === undefined ? undefined : await findRun(exchange.runtime, place.runId);
  if (place === undefined || tool === undefined || run === undefined) throw badRequest("Last-Event-ID is unknown");
  const call: McpCall = {
    id: place.id,
    era: "session",
    target: targetOf(tool),
    elicits: canAsk(caller),
    ...(place.progressToken !== undefined && { progressToken: place.progressToken }),
  };
  return streamRun(exchange, { kind: "run", run, call, tool }, place.after);
}

export async function answerDelete(exchange: HttpExchange): Promise<Response> {
  const { session = "" } = await findCaller(exchange);
  await closeSession(exchange.runtime, session);
  return new Response(null, { status: 204, headers: exchange.headers });
}

/** Arguments that the schema of a selected tool wants repeated in headers: one that says something else is refused. */
function findMismatch(caller: McpCaller, params: JsonObject, { req }: HttpExchange["context"]): string | undefined {
  const tool = listMcpTools(caller).find(({ name }) => name === params.name);
  if (tool?.kind !== "tool") return undefined;
  return findArgumentMismatch(tool.descriptor.parameters, params.arguments, req.raw.headers);
}

const NO_ABILITIES: McpAbilities = { elicits: false, hasTasks: false };

function callerOf(
  { runtime, principal, host }: HttpExchange,
  era: McpCaller["era"],
  abilities: McpAbilities,
  signal?: AbortSignal,
): McpCaller {
  return { runtime, principal, serving: host.mcp, era, abilities, ...(signal !== undefined && { signal }) };
}

/** Aborts when a client of 2026-07-28 closes its connection. A server that ends gives nothing up. */
function givenUp({ context, host }: HttpExchange): AbortSignal {
  const { signal } = context.req.raw;
  const given = new AbortController();
  const giveUp = (): void => {
    if (!host.streams.isClosed) given.abort();
  };
  if (signal.aborted) giveUp();
  else signal.addEventListener("abort", giveUp, { once: true });
  return given.signal;
}

/** The client of a session, by the headers that every request of 2025 has. */
async function findCaller(exchange: HttpExchange): Promise<McpCaller> {
  const { headers } = exchange.context.req.raw;
  const version = headers.get("mcp-protocol-version") ?? SESSION_VERSIONS[0];
  if (!SESSION_VERSIONS.some((each) => each === version)) throw badRequest("mcp-protocol-version is not supported");
  const session = headers.get("mcp-session-id");
  if (session === null) throw badRequest("mcp-session-id is missing: begin with initialize");
  const abilities = await findSession(exchange.runtime, exchange.principal, session);
  if (abilities === undefined) throw new HttpRefusal(404, "not found: the session is over or unknown");
  return { ...callerOf(exchange, "session", abilities), session };
}

async function cancelCall(caller: McpCaller, requestId: unknown): Promise<void> {
  if (caller.session === undefined || (typeof requestId !== "string" && typeof requestId !== "number")) return;
  assertScope(caller.principal, "run");
  const run = await findRun(caller.runtime, await runIdOf(caller.session, requestId));
  // A call that is over can no longer be cancelled; the notification came too late.
  await run?.cancel(CANCELLED).catch(() => undefined);
}

function send(exchange: HttpExchange, reply: McpReply): Response {
  if (reply.kind === "message") return answer(exchange, reply.status ?? 200, reply.message);
  if (!/text\/event-stream|\*\/\*/.test(exchange.context.req.header("accept") ?? "*/*"))
    throw new HttpRefusal(406, "not acceptable: the answer is a stream, so accept must have text/event-stream");
  return reply.kind === "run" ? streamRun(exchange, reply) : streamSubscription(exchange, reply);
}

/** Answers with the messages of a run. In a session each has an id to come back with, and the stream stays while a person is asked. */
function streamRun(exchange: HttpExchange, { run, call, tool, from }: McpRunReply, after?: EventCursor): Response {
  const isSession = call.era === "session";
  const encoder = createMcpEncoder(call, from?.state ?? INITIAL_MCP_STATE);
  const idOf = (cursor: string): string | undefined => (isSession ? encodeEventId(cursor, tool.name, call) : undefined);
  let opening = after === undefined ? encodeMessages(encoder.begin()) : "";
  const isKnown = knownUpTo(after);
  const encoding: FrameEncoding = {
    encode({ event, cursor }) {
      const before = opening;
      opening = "";
      if (!isKnown({ event, cursor })) return before + encoder.encode(event, idOf(cursor));
      encoder.skip(event);
      return before;
    },
    end: () => opening + encoder.end(),
    get isOver() {
      return encoder.isOver;
    },
  };
  const read = (signal: AbortSignal): EventIterator<CursoredEvent> => {
    // Without sessions closing the stream is the way to cancel a call. A server that ends cancels nothing.
    const stop = (): void => {
      if (encoder.isOver || exchange.host.streams.isClosed) return;
      run.cancel("An MCP client closed the stream of the call.").catch(exchange.host.report);
    };
    if (!isSession && signal.aborted) stop();
    else if (!isSession) signal.addEventListener("abort", stop, { once: true });
    return run.eventsWithCursor({
      signal,
      follow: isSession && call.elicits,
      children: "events",
      ...(from?.cursor !== undefined && { after: from.cursor }),
    });
  };
  return respondWithEvents(exchange, read, idHeaders({ run: run.id, thread: run.threadId }), encoding);
}

function encodeMessages(messages: readonly RpcMessage[]): string {
  return messages.map((message) => encodeSseFrame(JSON.stringify(message))).join("");
}

/**
 * Says of each event, in their order, whether a client has it. It may have read some that were never committed: their numbers are another
 * owner's now.
 */
function knownUpTo(after: EventCursor | undefined): (item: CursoredEvent) => boolean {
  const places = new Map(
    [...(after === undefined ? [] : [after]), ...(after?.below ?? [])].map((at) => [at.run_id, at]),
  );
  // Runs below that began before the place, and are not in it, were read to their end.
  const ended = new Set<string>();
  return ({ event, cursor }) => {
    const place = places.get(event.run_id);
    const isKnown = place === undefined ? ended.has(event.run_id) : isBehind(event, cursor, place);
    const started = event.type === "child_run_start" ? event.data.child_run_id : undefined;
    if (isKnown && started !== undefined && !places.has(started)) ended.add(started);
    return isKnown;
  };
}

function isBehind({ run_id, seq }: AgentEvent, cursor: string, place: EventCursor): boolean {
  const whole = parseCursor(cursor);
  const at = [...(whole === undefined ? [] : [whole]), ...(whole?.below ?? [])].find((each) => each.run_id === run_id);
  // The last event of a run that is forgotten has its position alone.
  const { epoch, seq: reached } = at ?? { epoch: place.epoch, seq: seq ?? 0 };
  return epoch < place.epoch || (epoch === place.epoch && reached <= place.seq);
}

/** The place in the stream of a call. */
interface EventPlace extends Pick<McpCall, "id" | "progressToken"> {
  readonly runId: string;
  readonly after: EventCursor;
  readonly tool: string;
}

/** All that is needed to continue a stream, in any process. What it names is looked up in the caller's own tenant. */
function encodeEventId(cursor: string, tool: string, { id, progressToken }: McpCall): string {
  return encodeURIComponent(
    JSON.stringify([cursor, tool, id, ...(progressToken === undefined ? [] : [progressToken])]),
  );
}

function decodeEventId(text: string): EventPlace | undefined {
  try {
    const [cursor, tool, id, progressToken] = JSON.parse(decodeURIComponent(text));
    const isId = (value: unknown): value is RpcId => typeof value === "string" || typeof value === "number";
    const after = typeof cursor === "string" ? parseCursor(cursor) : undefined;
    if (after === undefined || typeof tool !== "string" || !isId(id)) return undefined;
    return { runId: after.run_id, after, tool, id, ...(isId(progressToken) && { progressToken }) };
  } catch {
    return undefined;
  }
}

type Announced = Partial<Pick<McpSubscriptionReply, "acknowledged" | "changed">>;

/** A stream that stays open: it says that it is there, and tells each change of the list of tools. */
function streamSubscription(exchange: HttpExchange, { acknowledged, changed }: Announced): Response {
  const read = (signal: AbortSignal): EventIterator<RpcMessage> => {
    const queue = new MessageQueue(acknowledged === undefined ? [] : [acknowledged]);
    const stop =
      changed === undefined
        ? undefined
        : exchange.host.mcpToolLists.subscribe(exchange.runtime, () => queue.push(changed));
    const leave = (): void => {
      stop?.();
      queue.end();
    };
    if (signal.aborted) leave();
    signal.addEventListener("abort", leave, { once: true });
    return queue;
  };
  const encode = (message: RpcMessage): string => encodeMessages([message]);
  return respondWithFrames(exchange, read, {}, { encode, end: () => "", isOver: false });
}
