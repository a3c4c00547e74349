import {
  createMcpEncoder,
  decodeMcpMessage,
  decodeQuestionId,
  INITIAL_MCP_STATE,
  type McpAbilities,
  type McpMessage,
  RPC_CODES,
  type RpcId,
  type RpcMessage,
  readAbilities,
  rpcError,
  rpcResult,
} from "@reprise/protocols/mcp";
import type { TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import type { McpServing } from "../host/server-host.ts";
import { describeError } from "../http/describe-error.ts";
import { randomHex } from "../security/digest.ts";
import { LOCAL_PRINCIPAL } from "../security/principal.ts";
import { answerRequest, initialize, toolListChanged } from "./answer-request.ts";
import { CANCELLED } from "./call-tool.ts";
import { answerQuestion } from "./decide-questions.ts";
import { listMcpTools, type McpCaller, type McpRequest, type McpRunReply } from "./mcp-caller.ts";
import { createToolListWatch } from "./tool-list-watch.ts";

export interface McpLines {
  readonly runtime: TenantRuntime;
  readonly serving?: McpServing;
  /** What the client writes, line by line. */
  readonly lines: AsyncIterable<string>;
  /** Writes a line to the client. */
  write(line: string): void;
  /** Gets errors that no client caused. */
  report(error: unknown): void;
}

/** Under which the session itself listens. No request has this id. */
const SESSION = Symbol("session");

/** Serves one client that writes a message per line, as over stdio, in either era. Ends when the client has said everything. */
export async function serveMcpLines(given: McpLines): Promise<void> {
  const { runtime, serving = {}, lines, write, report } = given;
  const session = randomHex(16);
  let abilities: McpAbilities = { elicits: false, hasTasks: false };
  /** The requests that are not answered yet. Each can be cancelled from the moment it came. */
  const requests = new Map<RpcId, AbortController>();
  const send = (message: RpcMessage): void => write(JSON.stringify(message));
  const reportOurs = (error: unknown): void => {
    if (describeError(error).isOurs) report(error);
  };
  const watch = createToolListWatch(() => listMcpTools({ runtime, serving }));
  const stops = new Map<RpcId | typeof SESSION, () => void>();
  const callerOf = (message: McpMessage): McpCaller => {
    const isStateless = message.kind === "request" && message.era === "stateless";
    const own = isStateless ? (message.abilities ?? abilities) : abilities;
    const common = { runtime, serving, principal: LOCAL_PRINCIPAL, abilities: own };
    return isStateless ? { ...common, era: "stateless" } : { ...common, era: "session", session };
  };

  /** Tells a run until the request is answered or given up. A call that is given up takes its run with it. */
  const tell = async ({ run, call, from }: McpRunReply, isCall: boolean, signal: AbortSignal): Promise<void> => {
    const cancel = (): void => {
      if (isCall) run.cancel(CANCELLED).catch(reportOurs);
    };
    if (signal.aborted) return cancel();
    signal.addEventListener("abort", cancel, { once: true });
    const encoder = createMcpEncoder(call, from?.state ?? INITIAL_MCP_STATE);
    for (const message of encoder.begin()) send(message);
    const follow = call.era === "session" && call.elicits;
    const after = from?.cursor === undefined ? {} : { after: from.cursor };
    for await (const event of run.events({ follow, signal, children: "events", ...after })) {
      for (const message of encoder.tell(event)) send(message);
      if (encoder.isOver) break;
    }
    if (!signal.aborted) for (const message of encoder.rest()) send(message);
    signal.removeEventListener("abort", cancel);
  };

  const answer = async (caller: McpCaller, request: McpRequest, signal: AbortSignal): Promise<void> => {
    const reply = await answerRequest({ ...caller, signal }, request);
    if (reply.kind === "run") return tell(reply, request.method === "tools/call", signal);
    // A request that was given up has no answer.
    if (signal.aborted) return;
    if (reply.kind === "message") return send(reply.message);
    const { id, acknowledged, changed } = reply;
    send(acknowledged);
    stops.get(id)?.();
    if (changed !== undefined)
      stops.set(
        id,
        watch.subscribe(() => send(changed)),
      );
  };

  const handle = async (message: McpMessage): Promise<void> => {
    if (message.kind === "refused") return send(rpcError(message.id, message.error));
    const caller = callerOf(message);
    if (message.kind === "response") {
      const question = decodeQuestionId(message.id);
      if (question === undefined || message.result === undefined) return;
      return answerQuestion(caller, question.runId, question.suspensionId, message.result);
    }
    if (message.kind === "notification") {
      const { requestId } = message.params;
      const isCancel = message.method === "notifications/cancelled";
      if (isCancel && (typeof requestId === "string" || typeof requestId === "number")) {
        stops.get(requestId)?.();
        stops.delete(requestId);
        requests.get(requestId)?.abort();
      }
      return;
    }
    if (message.method === "initialize" && message.era === "session") {
      abilities = { ...readAbilities(message.params.capabilities), hasTasks: false };
      send(rpcResult(message.id, initialize(message.params)));
      // A client of 2025 hears of changes without asking.
      if (!stops.has(SESSION))
        stops.set(
          SESSION,
          watch.subscribe(() => send(toolListChanged())),
        );
      return;
    }
    const given = new AbortController();
    requests.set(message.id, given);
    try {
      await answer(caller, message, given.signal);
    } finally {
      if (requests.get(message.id) === given) requests.delete(message.id);
    }
  };

  for await (const line of lines) {
    if (line.trim() === "") continue;
    const message = decodeMcpMessage(parse(line));
    // Not awaited: a call may take long, and the client says more meanwhile.
    void handle(message).catch((error: unknown) => {
      reportOurs(error);
      const { message: problem } = describeError(error);
      if (message.kind === "request") send(rpcError(message.id, { code: RPC_CODES.internal, message: problem }));
    });
  }
  for (const stop of stops.values()) stop();
}

/** What is no JSON is no message either, and is refused as one. */
function parse(line: string): Json {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
