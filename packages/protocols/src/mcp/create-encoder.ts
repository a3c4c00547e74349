import type { AgentEvent, SuspendTicket } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import { encodeSseFrame } from "../sse/sse-frame.ts";
import { encodeCallResult, type McpTarget } from "./call-result.ts";
import type { McpEra } from "./decode-message.ts";
import { type RpcId, type RpcMessage, rpcResult } from "./json-rpc.ts";
import { encodeQuestion } from "./questions.ts";
import { advanceMcpRun, INITIAL_MCP_STATE, type McpRunState } from "./run-state.ts";

/** The call whose run is told. */
export interface McpCall {
  readonly id: RpcId;
  readonly era: McpEra;
  readonly target: McpTarget;
  /** Given by a client that wants to hear of progress. */
  readonly progressToken?: RpcId;
  /** Whether questions go to the client. Otherwise the result says that the run waits. */
  readonly elicits: boolean;
  /** Metadata of the result and of questions. */
  readonly meta?: JsonObject;
}

/** Tells one run as the answer to a call. */
export interface McpEncoder {
  /** The messages before the first event: the open questions of a run that a session takes up. */
  begin(runId: string): readonly RpcMessage[];
  /** The messages of an event. */
  tell(event: AgentEvent): readonly RpcMessage[];
  /** The same as frames of a stream. The cursor is the id of the last one. */
  encode(event: AgentEvent, cursor?: string): string;
  /** Takes an event in that the client already has. */
  skip(event: AgentEvent): void;
  /** Nothing: the answer is the last message. */
  end(): string;
  /** The call was answered. */
  readonly isOver: boolean;
}

/** An encoder for a call. `from` is what the run told before the call, when the call continues a run. */
export function createMcpEncoder(call: McpCall, from: McpRunState = INITIAL_MCP_STATE): McpEncoder {
  let state = from;
  let isOver = false;
  const tell = (event: AgentEvent): readonly RpcMessage[] => {
    if (isOver) return [];
    const before = state;
    state = advanceMcpRun(state, event);
    const answer = event.type === "run_finish" ? answerOf(call, state, event) : undefined;
    isOver = answer !== undefined;
    return [...progressOf(call, before, state), ...questionOf(call, event), ...(answer === undefined ? [] : [answer])];
  };
  return {
    begin: (runId) => Object.values(from.questions).flatMap(({ ticket }) => askIn(call, runId, ticket)),
    tell,
    encode(event, cursor) {
      const messages = tell(event);
      const last = messages.length - 1;
      return messages
        .map((message, index) => encodeSseFrame(JSON.stringify(message), index === last ? cursor : undefined))
        .join("");
    },
    skip: (event) => void tell(event),
    end: () => "",
    get isOver() {
      return isOver;
    },
  };
}

function progressOf({ progressToken }: McpCall, before: McpRunState, after: McpRunState): readonly RpcMessage[] {
  if (progressToken === undefined || after.progress === before.progress) return [];
  const { progress, message } = after;
  const params = { progressToken, progress, ...(message !== undefined && { message }) };
  return [{ jsonrpc: "2.0", method: "notifications/progress", params }];
}

function questionOf(call: McpCall, event: AgentEvent): readonly RpcMessage[] {
  const ticket = event.type === "tool_call_done" ? event.data.suspended?.ticket : undefined;
  return ticket === undefined ? [] : askIn(call, event.run_id, ticket);
}

/** In a session the server asks by a request of its own, in the stream of the call. Its id says which question it is. */
function askIn({ era, elicits, meta }: McpCall, runId: string, ticket: SuspendTicket): readonly RpcMessage[] {
  if (era !== "session" || !elicits) return [];
  const params = { ...encodeQuestion(ticket), ...(meta !== undefined && { _meta: meta }) };
  const id = questionId(runId, ticket.suspension.id);
  return [{ jsonrpc: "2.0", id, method: "elicitation/create", params }];
}

/** The id of a question that a server asks in a session. */
function questionId(runId: string, suspensionId: string): string {
  return `${encodeURIComponent(runId)}/${encodeURIComponent(suspensionId)}`;
}

/** The run and the question that the answer of a client belongs to. */
export function decodeQuestionId(id: RpcId): { readonly runId: string; readonly suspensionId: string } | undefined {
  const parts = String(id).split("/");
  if (parts.length !== 2) return undefined;
  try {
    const [runId = "", suspensionId = ""] = parts.map(decodeURIComponent);
    return { runId, suspensionId };
  } catch {
    return undefined;
  }
}

/** The answer to a call once its run is over, or waits for what the client cannot be asked in a stream. */
function answerOf(call: McpCall, state: McpRunState, event: AgentEvent): RpcMessage | undefined {
  const { end, result } = state;
  if (end === undefined) return undefined;
  const { run_id, thread_id } = event;
  if (end.termination.type !== "suspended") {
    const run = { run_id, thread_id, end, ...(result !== undefined && { result }) };
    return answered(call, encodeCallResult(run, call.target));
  }
  if (!call.elicits) return answered(call, describeWait(run_id, thread_id));
  if (call.era === "session") return undefined;
  const inputRequests = encodeQuestionRequests(state);
  return rpcResult(call.id, {
    resultType: "input_required",
    inputRequests,
    requestState: encodeRequestState(run_id, state),
  });
}

function answered({ id, era, meta }: McpCall, { _meta, ...result }: JsonObject): RpcMessage {
  const told = { ...result, _meta: { ...(_meta as JsonObject), ...meta } };
  return rpcResult(id, era === "session" ? told : { resultType: "complete", ...told });
}

/** The open questions of a run, as a result of 2026-07-28 has them. */
export function encodeQuestionRequests({ questions }: McpRunState): JsonObject {
  const requests = Object.values(questions).map(({ id, ticket }): [string, Json] => [
    id,
    { method: "elicitation/create", params: encodeQuestion(ticket) },
  ]);
  return Object.fromEntries(requests);
}

/** The state that a client sends back with its answers: the run, and the questions that it had asked by then. */
export function encodeRequestState(runId: string, { asked }: McpRunState): string {
  return [runId, ...asked].map(encodeURIComponent).join("/");
}

/** The run that a state names. */
export function runOfRequestState(requestState: string): string | undefined {
  try {
    return decodeURIComponent(requestState.split("/")[0] ?? "");
  } catch {
    return undefined;
  }
}

/** Whether a run gave a client this state, now or earlier. */
export function isRequestState(requestState: string, runId: string, state: McpRunState): boolean {
  return state.asked.some(
    (_, at) => encodeRequestState(runId, { ...state, asked: state.asked.slice(0, at + 1) }) === requestState,
  );
}

/** Says that a run waits for a decision that the client cannot be asked for. */
function describeWait(run_id: string, thread_id: string): JsonObject {
  const text = `The run ${run_id} needs the decision of a person before it can continue. Call again with the thread_id ${thread_id} later.`;
  const _meta = { "reprise/run_id": run_id, "reprise/thread_id": thread_id };
  return { content: [{ type: "text", text }], isError: true, _meta };
}
