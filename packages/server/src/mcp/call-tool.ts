import { type RunRequest, readTraceContext } from "@reprise/contracts";
import {
  createMcpEncoder,
  encodeQuestionRequests,
  isObject,
  isRequestState,
  type McpCall,
  type McpTool,
  type RpcId,
  rpcResult,
  runOfRequestState,
} from "@reprise/protocols/mcp";
import type { RunHandle } from "@reprise/runtime";
import type { JsonObject } from "@reprise/state";
import { digest } from "../security/digest.ts";
import { assertScope, deciderOf, hasScope } from "../security/principal.ts";
import { findRun } from "../wire/find-record.ts";
import { decide } from "./decide-questions.ts";
import { callOf, listMcpTools, type McpCaller, type McpReply, type McpRequest, textIn } from "./mcp-caller.ts";
import { invalid, message } from "./mcp-replies.ts";
import { isRunOf, readRun, taskOf } from "./read-run.ts";

const TASK_AFTER_MS = 5_000;
/** Why the run of a call was cancelled. */
export const CANCELLED = "An MCP client cancelled the call.";

/** Answers `tools/call`: with the messages of a run, or with a task where that takes long. */
export async function callTool(caller: McpCaller, request: McpRequest): Promise<McpReply> {
  const { principal, era } = caller;
  const { id, params } = request;
  assertScope(principal, "run");
  const name = textIn(params, "name") ?? "";
  const tool = listMcpTools(caller).find((each) => each.name === name);
  if (tool === undefined) return invalid(id, `There is no tool ${JSON.stringify(name.slice(0, 200))}.`);
  const call = callOf(caller, tool, request);
  if (era === "stateless" && params.inputResponses !== undefined) return continueCall(caller, { tool, call, params });
  const started = await startRun(caller, tool, request);
  if (typeof started === "string") return invalid(id, started);
  if (era === "session" && isObject(params.task)) {
    const read = await readRun(caller.runtime, started.id);
    return read === undefined
      ? invalid(id, "The run is gone.")
      : message(rpcResult(id, { task: taskOf(caller, read) }));
  }
  const isTask = era === "stateless" && caller.abilities.hasTasks && hasScope(principal, "read");
  return isTask ? answerOrTask(caller, started, call) : { kind: "run", run: started, call, tool };
}

/** Starts the run of a call, or finds it: in a session a request that is sent again is the same call. Answers with a problem as text. */
async function startRun(caller: McpCaller, tool: McpTool, { id, params }: McpRequest): Promise<RunHandle | string> {
  const { runtime, principal, session } = caller;
  const given = params.arguments ?? {};
  if (!isObject(given)) return "arguments must be an object.";
  const runId = session === undefined ? undefined : await runIdOf(session, id);
  const earlier = runId === undefined ? undefined : await findRun(runtime, runId);
  if (earlier !== undefined) return earlier;
  if (tool.kind === "tool") {
    const call = { agent: tool.agentId, tool: tool.descriptor.id, arguments: given };
    return runtime.callTool({ ...call, ...(runId !== undefined && { runId }) });
  }
  const { input, thread_id } = given;
  if (typeof input !== "string" || input === "") return "arguments.input must be a non-empty text.";
  if (thread_id !== undefined && (typeof thread_id !== "string" || thread_id === ""))
    return "arguments.thread_id must be a non-empty text.";
  const meta = isObject(params._meta) ? params._meta : {};
  const request: RunRequest = {
    agent_id: tool.agentId,
    origin: "mcp",
    messages: [{ role: "user", content: input }],
    ...(thread_id !== undefined && { thread_id }),
    ...(runId !== undefined && { run_id: runId }),
    ...readTraceContext(meta.traceparent, meta.tracestate),
  };
  return runtime.submit(request, { capBudget: !hasScope(principal, "admin"), ...deciderOf(principal) });
}

/** The run of a call in a session. Any process finds it again. */
export async function runIdOf(session: string, id: RpcId): Promise<string> {
  return `mcp-${(await digest(session, JSON.stringify(id))).slice(0, 32)}`;
}

/** Waits a little for the result of a call. A call that takes longer, or that asks, becomes a task. */
async function answerOrTask(caller: McpCaller, run: RunHandle, call: McpCall): Promise<McpReply> {
  const encoder = createMcpEncoder({ ...call, elicits: true });
  const patience = AbortSignal.timeout(caller.serving.taskAfterMs ?? TASK_AFTER_MS);
  const { signal = patience } = caller;
  for await (const event of run.events({ children: "events", signal: AbortSignal.any([patience, signal]) })) {
    const answer = encoder.tell(event).find((each) => "result" in each);
    if (answer !== undefined && "result" in answer && answer.result.resultType === "complete") return message(answer);
  }
  // The client never learned of a task, so nobody would follow it.
  if (caller.signal?.aborted === true) await run.cancel(CANCELLED).catch(() => undefined);
  const read = await readRun(caller.runtime, run.id);
  if (read === undefined) return invalid(call.id, "The run is gone.");
  // The run is accepted durably: it can be asked for from now on.
  return message(rpcResult(call.id, { ...taskOf(caller, read), resultType: "task" }));
}

interface Continued {
  readonly tool: McpTool;
  readonly call: McpCall;
  readonly params: JsonObject;
}

/** Continues a call that was answered with questions. The state that the client sends back names the run. */
async function continueCall(caller: McpCaller, { tool, call, params }: Continued): Promise<McpReply> {
  assertScope(caller.principal, "decide");
  // The run that the state names may be another client's.
  assertScope(caller.principal, "read");
  const { inputResponses, requestState } = params;
  if (!isObject(inputResponses)) return invalid(call.id, "inputResponses must be an object.");
  const given = typeof requestState === "string" ? requestState : "";
  const read = await readRun(caller.runtime, runOfRequestState(given) ?? "");
  if (read === undefined || !isRunOf(read, tool) || !isRequestState(given, read.run.id, read.task.state))
    return invalid(call.id, "requestState is not the state of a call of this tool. Make the call anew without it.");
  const problem = await decide(caller, read, inputResponses);
  if (problem !== undefined) return invalid(call.id, problem);
  const { state } = read.task;
  const from = { state, ...(read.cursor !== undefined && { cursor: read.cursor }) };
  const isAnswered = state.questions.some(({ ticket }) => Object.hasOwn(inputResponses, ticket.suspension.id));
  if (isAnswered || read.task.status !== "waiting") return { kind: "run", run: read.run, call, tool, from };
  const inputRequests = encodeQuestionRequests(state);
  return message(rpcResult(call.id, { resultType: "input_required", inputRequests, requestState: given }));
}
