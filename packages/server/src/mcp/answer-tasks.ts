import {
  encodeDetailedTask,
  encodeTaskResult,
  isObject,
  type McpTool,
  RPC_CODES,
  rpcResult,
  TASKS_EXTENSION,
} from "@reprise/protocols/mcp";
import { assertScope } from "../security/principal.ts";
import { decide } from "./decide-questions.ts";
import {
  callOf,
  canAsk,
  listMcpTools,
  type McpCaller,
  type McpMethod,
  type McpReply,
  type McpRequest,
  targetOf,
  textIn,
} from "./mcp-caller.ts";
import { complete, invalid, message, refuse } from "./mcp-replies.ts";
import { isRunOf, type ReadRun, readRun, taskOf } from "./read-run.ts";

const RELATED_TASK = "io.modelcontextprotocol/related-task";

/** Refuses a client of 2026-07-28 that cannot follow tasks. */
export function needingTasks(method: McpMethod): McpMethod {
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

export async function getTask(caller: McpCaller, request: McpRequest): Promise<McpReply> {
  assertScope(caller.principal, "read");
  const read = await findTask(caller, request);
  const tool = read === undefined ? undefined : toolOf(caller, read);
  if (read === undefined || tool === undefined) return unknownTask(request);
  if (caller.era === "session") return message(rpcResult(request.id, taskOf(caller, read)));
  return complete(request.id, encodeDetailedTask(read.task, targetOf(tool), canAsk(caller)));
}

/** The result of a task of 2025: at once, or when the run is over. Until then the server asks in the stream of this request. */
export async function getTaskResult(caller: McpCaller, request: McpRequest): Promise<McpReply> {
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

export async function updateTask(caller: McpCaller, request: McpRequest): Promise<McpReply> {
  assertScope(caller.principal, "decide");
  const read = await findTask(caller, request);
  if (read === undefined) return unknownTask(request);
  const { inputResponses } = request.params;
  if (!isObject(inputResponses)) return invalid(request.id, "inputResponses must be an object.");
  const problem = await decide(caller, read, inputResponses);
  return problem === undefined ? complete(request.id, {}) : invalid(request.id, problem);
}

export async function cancelTask(caller: McpCaller, request: McpRequest): Promise<McpReply> {
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
