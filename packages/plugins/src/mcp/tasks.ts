import type { JSONRPCMessage, StandardSchemaV1 } from "@modelcontextprotocol/client";
import { type ActionCreators, defineState, type StateDefinition } from "@reprise/state";
import type { McpClient } from "./connection.ts";
import { cut, type ListedTool } from "./listed-tool.ts";
import type { InputRequest } from "./questions.ts";

/** The Tasks extension of the 2026 era. */
export const TASKS_EXTENSION = "io.modelcontextprotocol/tasks";

const STATUSES = ["working", "input_required", "completed", "failed", "cancelled"] as const;

/** A task as a server describes it, in either era. */
export interface Task {
  readonly taskId: string;
  readonly status: (typeof STATUSES)[number];
  readonly statusMessage?: string;
  /** How long the server wants to be left alone. */
  readonly pollMs?: number;
  /** Questions of a task that needs input. Only the modern era tells them here. */
  readonly inputRequests?: { readonly [key: string]: InputRequest };
  /** The result of a task that is completed. Only the modern era tells it here. */
  readonly result?: unknown;
  /** Why a task failed. Only the modern era tells it here. */
  readonly error?: { readonly message?: unknown };
}

/** Tasks under way at servers, by call. The end of a run cancels those that are left. */
type OpenTasks = Readonly<Record<string, { readonly server: string; readonly task_id: string }>>;

interface OpenTask {
  readonly call: string;
  readonly server: string;
  readonly task_id: string;
}

export const mcpTasks: StateDefinition<OpenTasks> & ActionCreators<{ open: [task: OpenTask]; close: [call: string] }> =
  defineState({
    path: "mcp_tasks",
    scope: "run",
    initial: (): OpenTasks => ({}),
    actions: {
      open: (tasks: OpenTasks, { call, ...task }: OpenTask): OpenTasks => ({ ...tasks, [call]: task }),
      close: (tasks: OpenTasks, call: string): OpenTasks => {
        const { [call]: _, ...rest } = tasks;
        return rest;
      },
    },
  });

const CARRIED = "reprise/task";
const MAX_MESSAGE_CHARS = 500;

/** The client of the SDK knows no results of the type `task`. They pass through it as the metadata of an empty result. */
export function carryTask(message: JSONRPCMessage): JSONRPCMessage {
  const { result } = message as { readonly result?: Readonly<Record<string, unknown>> };
  if (result?.resultType !== "task") return message;
  const carrier = { resultType: "complete", content: [], _meta: { [CARRIED]: result } };
  return { ...message, result: carrier } as JSONRPCMessage;
}

/** The task that a server made of a call, or undefined when it answered with a result. */
export function taskOf(answer: object): Task | undefined {
  const { _meta: meta, task } = answer as { readonly _meta?: Record<string, unknown>; readonly task?: unknown };
  const given = meta?.[CARRIED] ?? task;
  return given === undefined ? undefined : readTask(given);
}

/** Reads a task, and refuses one without an id or with a status that the protocol does not have. */
function readTask(given: unknown): Task {
  const task = (typeof given === "object" ? (given ?? {}) : {}) as Record<string, unknown>;
  const { taskId, statusMessage, pollInterval, pollIntervalMs = pollInterval } = task;
  const status = STATUSES.find((each) => each === task.status);
  if (typeof taskId !== "string" || status === undefined) throw new Error("the server describes a task without an id");
  return {
    // Questions, results and errors are read by the code that needs them.
    ...(task as Pick<Task, "inputRequests" | "result" | "error">),
    taskId,
    status,
    ...(typeof statusMessage === "string" && { statusMessage: cut(statusMessage, MAX_MESSAGE_CHARS) }),
    ...(typeof pollIntervalMs === "number" && pollIntervalMs >= 0 && { pollMs: pollIntervalMs }),
  };
}

/** Whether a server of the 2025 era is to make a task of a call. In the 2026 era the server decides. */
export function wantsTask(client: McpClient, { execution }: ListedTool): boolean {
  if (client.getProtocolEra() === "modern" || (execution?.taskSupport ?? "forbidden") === "forbidden") return false;
  const { tasks } = (client.getServerCapabilities() ?? {}) as { readonly tasks?: { readonly requests?: unknown } };
  return tasks?.requests !== undefined;
}

type RequestOptions = Parameters<McpClient["request"]>[2];

export async function getTask(client: McpClient, taskId: string, options: RequestOptions): Promise<Task> {
  return readTask(await client.request({ method: "tasks/get", params: { taskId } }, ANYTHING, options));
}

/** The result of a task of the 2025 era. A task that needs input asks in the session of this request. */
export async function getTaskResult(client: McpClient, taskId: string, options: RequestOptions): Promise<object> {
  return client.request({ method: "tasks/result", params: { taskId } }, ANYTHING, options);
}

export async function updateTask(
  client: McpClient,
  params: { readonly taskId: string; readonly inputResponses: object },
  options: RequestOptions,
): Promise<void> {
  await client.request({ method: "tasks/update", params }, ANYTHING, options);
}

export async function cancelTask(client: McpClient, taskId: string, options: RequestOptions): Promise<void> {
  await client.request({ method: "tasks/cancel", params: { taskId } }, ANYTHING, options);
}

/** Lets every object through: what a server says is read field by field. */
export const ANYTHING: StandardSchemaV1<object> = {
  "~standard": {
    version: 1,
    vendor: "reprise",
    validate: (value) =>
      typeof value === "object" && value !== null ? { value } : { issues: [{ message: "not an object" }] },
  },
};

const SHORTEST_MS = 100;
const USUAL_MS = 1_000;
const LONGEST_MS = 60_000;

/** When a task is looked at again: not before the server wants it, and less often the longer the task takes. */
export function nextLookMs({ pollMs = USUAL_MS }: Task, ageMs: number): number {
  return Math.min(Math.max(pollMs, ageMs / 10, SHORTEST_MS), LONGEST_MS);
}
