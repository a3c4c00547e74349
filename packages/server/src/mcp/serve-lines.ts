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
import { answerQuestion, answerRequest, initialize } from "./answer-request.ts";
import type { McpCaller, McpRunReply } from "./mcp-caller.ts";

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

/** Serves one client that writes a message per line, as over stdio, in either era. Ends when the client has said everything. */
export async function serveMcpLines(given: McpLines): Promise<void> {
  const { runtime, serving = {}, lines, write, report } = given;
  const session = randomHex(16);
  let abilities: McpAbilities = { elicits: false, hasTasks: false };
  const calls = new Map<RpcId, () => Promise<void>>();
  const send = (message: RpcMessage): void => write(JSON.stringify(message));
  const callerOf = (message: McpMessage): McpCaller => {
    const isStateless = message.kind === "request" && message.era === "stateless";
    const own = isStateless ? (message.abilities ?? abilities) : abilities;
    const common = { runtime, serving, principal: LOCAL_PRINCIPAL, abilities: own };
    return isStateless ? { ...common, era: "stateless" } : { ...common, era: "session", session };
  };

  const tell = async ({ run, call, from }: McpRunReply): Promise<void> => {
    const encoder = createMcpEncoder(call, from?.state ?? INITIAL_MCP_STATE);
    for (const message of encoder.begin(run.id)) send(message);
    calls.set(call.id, () => run.cancel("An MCP client cancelled the call."));
    const follow = call.era === "session" && call.elicits;
    const after = from?.cursor === undefined ? {} : { after: from.cursor };
    for await (const event of run.events({ follow, ...after })) {
      for (const message of encoder.tell(event)) send(message);
      if (encoder.isOver) break;
    }
    calls.delete(call.id);
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
      if (isCancel && (typeof requestId === "string" || typeof requestId === "number")) await calls.get(requestId)?.();
      return;
    }
    if (message.method === "initialize" && message.era === "session") {
      abilities = { ...readAbilities(message.params.capabilities), hasTasks: false };
      return send(rpcResult(message.id, initialize(message.params)));
    }
    const reply = await answerRequest(caller, message);
    if (reply.kind === "run") await tell(reply);
    else send(reply.kind === "message" ? reply.message : reply.acknowledged);
  };

  for await (const line of lines) {
    if (line.trim() === "") continue;
    const message = decodeMcpMessage(parse(line));
    // Not awaited: a call may take long, and the client says more meanwhile.
    void handle(message).catch((error: unknown) => {
      const { message: problem, isOurs } = describeError(error);
      if (isOurs) report(error);
      if (message.kind === "request") send(rpcError(message.id, { code: RPC_CODES.internal, message: problem }));
    });
  }
}

/** What is no JSON is no message either, and is refused as one. */
function parse(line: string): Json {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}
