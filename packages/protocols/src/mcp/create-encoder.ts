import type { AgentEvent, SuspendTicket } from "@reprise/contracts";
import type { Json, JsonObject } from "@reprise/state";
import { encodeSseFrame } from "../sse/sse-frame.ts";
import { encodeCallResult, type McpTarget } from "./call-result.ts";
import type { McpEra } from "./decode-message.ts";
import { type RpcId, type RpcMessage, rpcResult } from "./json-rpc.ts";
import { encodeQuestion } from "./questions.ts";
import { advanceMcpRun, INITIAL_MCP_STATE, type McpRunState, questionIn } from "./run-state.ts";

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
  begin(): readonly RpcMessage[];
  /** The messages of an event. */
  tell(event: AgentEvent): readonly RpcMessage[];
  /** The same as frames of a stream. The cursor is the id of the last one. */
  encode(event: AgentEvent, cursor?: string): string;
  /** Takes an event in that the client already has. */
  skip(event: AgentEvent): void;
  /** The answer where the stream ends because nothing happens before a person decides about runs below: no event says so. */
  rest(): readonly RpcMessage[];
  /** The same as a frame. */
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
    const isEnd = event.type === "run_finish" && event.lineage === undefined;
    const answer = isEnd ? (answerOf(call, state) ?? waitOf(call, state)) : undefined;
    isOver = answer !== undefined;
    return [...progressOf(call, before, state), ...questionOf(call, event), ...(answer === undefined ? [] : [answer])];
  };
  const rest = (): readonly RpcMessage[] => {
    const answer = isOver ? undefined : waitOf(call, state);
    isOver ||= answer !== undefined;
    return answer === undefined ? [] : [answer];
  };
  return {
    begin: () => from.questions.flatMap(({ run_id, ticket }) => askIn(call, run_id, ticket)),
    tell,
    encode(event, cursor) {
      const messages = tell(event);
      const last = messages.length - 1;
      return messages
        .map((message, index) => encodeSseFrame(JSON.stringify(message), index === last ? cursor : undefined))
        .join("");
    },
    skip: (event) => void tell(event),
    end: () =>
      rest()
        .map((message) => encodeSseFrame(JSON.stringify(message)))
        .join(""),
    rest,
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
  const ticket = questionIn(event);
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

/** The answer to a call whose run is over. */
function answerOf(call: McpCall, { run, end, result }: McpRunState): RpcMessage | undefined {
  if (run === undefined || end === undefined || end.termination.type === "suspended") return undefined;
  return answered(call, encodeCallResult({ ...run, end, ...(result !== undefined && { result }) }, call.target));
}

/** The answer to a call whose run waits for what the client cannot be asked in a stream. */
function waitOf(call: McpCall, state: McpRunState): RpcMessage | undefined {
  const { run, questions } = state;
  if (run === undefined || questions.length === 0) return undefined;
  if (!call.elicits) return answered(call, describeWait(run));
  if (call.era === "session") return undefined;
  const requestState = encodeRequestState(run.run_id, state);
  const inputRequests = encodeQuestionRequests(state);
  return rpcResult(call.id, { resultType: "input_required", inputRequests, requestState });
}

function answered({ id, era, meta }: McpCall, { _meta, ...result }: JsonObject): RpcMessage {
  const told = { ...result, _meta: { ...(_meta as JsonObject), ...meta } };
  return rpcResult(id, era === "session" ? told : { resultType: "complete", ...told });
}

/** The open questions of a run and of those below it, as a result of 2026-07-28 has them. */
export function encodeQuestionRequests({ questions }: McpRunState): JsonObject {
  const requests = questions.map(({ ticket }): [string, Json] => [
    ticket.suspension.id,
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

/** Whether a client may have this state from a run: it names questions that the run, or one below it, asked. */
export function isRequestState(requestState: string, runId: string, { asked }: McpRunState): boolean {
  const [run, ...named] = requestState.split("/");
  const known = new Set(asked.map(encodeURIComponent));
  return run === encodeURIComponent(runId) && named.length > 0 && named.every((id) => known.has(id));
}

/** Says that a run waits for a decision that the client cannot be asked for. */
function describeWait({ run_id, thread_id }: NonNullable<McpRunState["run"]>): JsonObject {
  const text = `The run ${run_id} needs the decision of a person before it can continue. Call again with the thread_id ${thread_id} later.`;
  const _meta = { "reprise/run_id": run_id, "reprise/thread_id": thread_id };
  return { content: [{ type: "text", text }], isError: true, _meta };
}
