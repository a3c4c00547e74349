import { type RunRequest, readTraceContext } from "@reprise/contracts";
import {
  createMcpEncoder,
  decodeAnswer,
  describeMcpTool,
  encodeDetailedTask,
  encodeQuestionRequests,
  encodeTask,
  encodeTaskResult,
  isObject,
  isRequestState,
  type McpCall,
  type McpMessage,
  type McpTool,
  MODERN_VERSION,
  RPC_CODES,
  type RpcError,
  type RpcId,
  rpcError,
  rpcResult,
  runOfRequestState,
  SESSION_VERSIONS,
  TASKS_EXTENSION,
} from "@reprise/protocols/mcp";
import type { RunHandle } from "@reprise/runtime";
import type { Json, JsonObject } from "@reprise/state";
import { digest } from "../security/digest.ts";
import { assertScope, deciderOf, hasScope } from "../security/principal.ts";
import { findRun } from "../wire/find-record.ts";
import { canAsk, listMcpTools, type McpCaller, type McpReply, targetOf, textIn } from "./mcp-caller.ts";
import { type ReadRun, readRun } from "./read-run.ts";

export type McpRequest = Extract<McpMessage, { kind: "request" }>;

/** How this server introduces itself. */
const SERVER_INFO = { name: "reprise", version: "0.1.0" } as const;
/** Lists may be kept this long. The agents of a server change with its configuration. */
const LIST_TTL_MS = 5_000;
const TASK_AFTER_MS = 5_000;
const RELATED_TASK = "io.modelcontextprotocol/related-task";

type Method = (caller: McpCaller, request: McpRequest) => Promise<McpReply> | McpReply;

/** The methods of each era. `initialize` belongs to the transports, which keep the sessions. */
const METHODS: Readonly<Record<McpCaller["era"], Readonly<Record<string, Method>>>> = {
  session: {
    ping: (_, { id }) => message(rpcResult(id, {})),
    "tools/list": listTools,
    "tools/call": callTool,
    "tasks/get": getTask,
    "tasks/result": getTaskResult,
    "tasks/cancel": cancelTask,
  },
  stateless: {
    "server/discover": discover,
    "tools/list": listTools,
    "tools/call": callTool,
    "tasks/get": needingTasks(getTask),
    "tasks/update": needingTasks(updateTask),
    "tasks/cancel": needingTasks(cancelTask),
    "subscriptions/listen": listen,
  },
};

/** Answers a request of either era. */
export async function answerRequest(caller: McpCaller, request: McpRequest): Promise<McpReply> {
  const methods = METHODS[caller.era];
  const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined;
  if (method !== undefined) return method(caller, request);
  const error = { code: RPC_CODES.method_not_found, message: `There is no method ${request.method.slice(0, 200)}.` };
  return refuse(request.id, error, caller.era === "stateless" ? 404 : undefined);
}

/** The capabilities that a session begins with. */
export function initialize(params: JsonObject): JsonObject {
  const asked = textIn(params, "protocolVersion");
  return {
    protocolVersion: SESSION_VERSIONS.find((version) => version === asked) ?? SESSION_VERSIONS[0],
    capabilities: { tools: {}, tasks: { cancel: {}, requests: { tools: { call: {} } } } },
    serverInfo: SERVER_INFO,
  };
}

function discover(_: McpCaller, { id }: McpRequest): McpReply {
  return complete(id, {
    supportedVersions: [MODERN_VERSION, ...SESSION_VERSIONS],
    capabilities: { tools: {}, extensions: { [TASKS_EXTENSION]: {} } },
    ttlMs: LIST_TTL_MS,
    cacheScope: "private",
  });
}

function listTools(caller: McpCaller, { id }: McpRequest): McpReply {
  const tools = listMcpTools(caller).map((tool) => describeMcpTool(tool, caller.era));
  if (caller.era === "session") return message(rpcResult(id, { tools }));
  return complete(id, { tools, ttlMs: LIST_TTL_MS, cacheScope: "private" });
}

function listen(_: McpCaller, { id }: McpRequest): McpReply {
  const params = { notifications: {}, _meta: { "io.modelcontextprotocol/subscriptionId": id } };
  const acknowledged = { jsonrpc: "2.0", method: "notifications/subscriptions/acknowledged", params } as const;
  return { kind: "subscription", acknowledged };
}

async function callTool(caller: McpCaller, request: McpRequest): Promise<McpReply> {
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

function callOf(caller: McpCaller, tool: McpTool, { id, params }: McpRequest): McpCall {
  const meta = isObject(params._meta) ? params._meta : {};
  const token = meta.progressToken;
  return {
    id,
    era: caller.era,
    target: targetOf(tool),
    elicits: canAsk(caller),
    ...((typeof token === "string" || typeof token === "number") && { progressToken: token }),
  };
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
  for await (const event of run.events({ signal: patience })) {
    const answer = encoder.tell(event).find((each) => "result" in each);
    if (answer !== undefined && "result" in answer && answer.result.resultType === "complete") return message(answer);
  }
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
  const isAnswered = Object.values(state.questions).some(({ id }) => Object.hasOwn(inputResponses, id));
  if (isAnswered || read.task.status !== "waiting") return { kind: "run", run: read.run, call, tool, from };
  const inputRequests = encodeQuestionRequests(state);
  return message(rpcResult(call.id, { resultType: "input_required", inputRequests, requestState: given }));
}

function isRunOf({ agentId, toolId }: ReadRun, tool: McpTool): boolean {
  return agentId === tool.agentId && (tool.kind === "tool" ? toolId === tool.descriptor.id : toolId === undefined);
}

/** Stores the answers to open questions. Answers to anything else are left alone. Says what is wrong with an answer that is none. */
async function decide(caller: McpCaller, { run, task }: ReadRun, answers: JsonObject): Promise<string | undefined> {
  for (const { id, ticket } of Object.values(task.state.questions)) {
    if (!Object.hasOwn(answers, id)) continue;
    const verb = decodeAnswer(ticket, answers[id]);
    if (verb === undefined) return `inputResponses[${JSON.stringify(id)}] must be the result of elicitation/create.`;
    await caller.runtime.decisions.decide(id, verb, { runId: run.id, ...deciderOf(caller.principal) });
  }
  return undefined;
}

/** Takes in the answer of a client to a question that a session asked. What answers nothing is ignored. */
export async function answerQuestion(caller: McpCaller, runId: string, id: string, result: Json): Promise<void> {
  assertScope(caller.principal, "decide");
  const read = await readRun(caller.runtime, runId);
  if (read !== undefined) await decide(caller, read, { [id]: result });
}

function needingTasks(method: Method): Method {
  return (caller, request) => {
    if (caller.abilities.hasTasks) return method(caller, request);
    const data = { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } };
    const error = { code: RPC_CODES.missing_capability, message: `${request.method} needs ${TASKS_EXTENSION}.`, data };
    return refuse(request.id, error, 400);
  };
}

async function findTask(caller: McpCaller, { params }: McpRequest): Promise<ReadRun | undefined> {
  const taskId = textIn(params, "taskId");
  const read = taskId === undefined ? undefined : await readRun(caller.runtime, taskId);
  return read !== undefined && toolOf(caller, read) !== undefined ? read : undefined;
}

/** The tool that a run is a call of. Runs of agents that this server does not show are no tasks. */
function toolOf(caller: McpCaller, read: ReadRun): McpTool | undefined {
  return listMcpTools(caller).find((tool) => isRunOf(read, tool));
}

function taskOf(caller: McpCaller, { task }: ReadRun): JsonObject {
  return encodeTask(task, caller.era, canAsk(caller));
}

async function getTask(caller: McpCaller, request: McpRequest): Promise<McpReply> {
  assertScope(caller.principal, "read");
  const read = await findTask(caller, request);
  const tool = read === undefined ? undefined : toolOf(caller, read);
  if (read === undefined || tool === undefined) return unknownTask(request);
  if (caller.era === "session") return message(rpcResult(request.id, taskOf(caller, read)));
  return complete(request.id, encodeDetailedTask(read.task, targetOf(tool), canAsk(caller)));
}

/** The result of a task of 2025: at once, or when the run is over. Until then the server asks in the stream of this request. */
async function getTaskResult(caller: McpCaller, request: McpRequest): Promise<McpReply> {
  assertScope(caller.principal, "read");
  const read = await findTask(caller, request);
  const tool = read === undefined ? undefined : toolOf(caller, read);
  if (read === undefined || tool === undefined) return unknownTask(request);
  const { task, cursor, run } = read;
  const result = encodeTaskResult(task, targetOf(tool));
  const related = { [RELATED_TASK]: { taskId: run.id } };
  if (task.status === "done" && result !== undefined) {
    const meta = isObject(result._meta) ? result._meta : {};
    return message(rpcResult(request.id, { ...result, _meta: { ...meta, ...related } }));
  }
  const call = { ...callOf(caller, tool, request), meta: related };
  return { kind: "run", run, call, tool, from: { state: task.state, ...(cursor !== undefined && { cursor }) } };
}

async function updateTask(caller: McpCaller, request: McpRequest): Promise<McpReply> {
  assertScope(caller.principal, "decide");
  const read = await findTask(caller, request);
  if (read === undefined) return unknownTask(request);
  const { inputResponses } = request.params;
  if (!isObject(inputResponses)) return invalid(request.id, "inputResponses must be an object.");
  const problem = await decide(caller, read, inputResponses);
  return problem === undefined ? complete(request.id, {}) : invalid(request.id, problem);
}

async function cancelTask(caller: McpCaller, request: McpRequest): Promise<McpReply> {
  assertScope(caller.principal, "run");
  const read = await findTask(caller, request);
  if (read === undefined) return unknownTask(request);
  const isOver = read.task.status === "done";
  if (!isOver) await read.run.cancel("An MCP client cancelled the task.");
  if (caller.era === "stateless") return complete(request.id, {});
  if (isOver) return invalid(request.id, "The task is over already.");
  return message(rpcResult(request.id, { ...taskOf(caller, read), status: "cancelled" }));
}

function unknownTask({ id, params }: McpRequest): McpReply {
  return invalid(id, `There is no task ${JSON.stringify((textIn(params, "taskId") ?? "").slice(0, 200))}.`);
}

function message(given: Extract<McpReply, { kind: "message" }>["message"]): McpReply {
  return { kind: "message", message: given };
}

function complete(id: RpcId, result: JsonObject): McpReply {
  const _meta = { "io.modelcontextprotocol/serverInfo": SERVER_INFO };
  return message(rpcResult(id, { resultType: "complete", ...result, _meta }));
}

function invalid(id: RpcId, problem: string): McpReply {
  return refuse(id, { code: RPC_CODES.invalid_params, message: problem });
}

function refuse(id: RpcId, error: RpcError, status?: number): McpReply {
  return { kind: "message", message: rpcError(id, error), ...(status !== undefined && { status }) };
}
