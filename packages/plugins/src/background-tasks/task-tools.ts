import type { ChildRun, ChildStatus, MarkedResult, Tool, ToolContext } from "@reprise/contracts";
import { defineTool } from "@reprise/runtime";
import { getAt, type Json, type JsonObject } from "@reprise/state";
import { isOutside, missingScope, refuse } from "../runs-below/refuse.ts";
import { taskState } from "./task-state.ts";

/** How a task stands, in the words that the model reads. */
export function taskStatus(status: ChildStatus): string {
  return status === "stopped" ? "cancelled" : status;
}

interface TaskArguments {
  readonly task_id: string;
}

const taskStatusTool = defineTool({
  id: "task_status",
  description:
    "Says how a background task stands, or, without task_id, how all background tasks of this conversation stand.",
  inputSchema: taskSchema(),
  class: "read_only",
  async execute({ task_id }: Partial<TaskArguments>, context) {
    if (isOutside(context)) return missingScope("task_status");
    if (task_id !== undefined) {
      const task = await loadTask(task_id, context);
      return task === undefined ? unknownTask("task_status", task_id) : summarise(task, context);
    }
    const known = Object.keys(context.state.get(taskState).tasks);
    const found = await Promise.all(known.map((id) => loadTask(id, context)));
    return { tasks: found.flatMap((task) => (task === undefined ? [] : summarise(task, context))) };
  },
});

const taskCancel = defineTool({
  id: "task_cancel",
  description: "Cancels a background task and everything that it started.",
  inputSchema: taskSchema("task_id"),
  idempotent: true,
  recursive: true,
  async execute({ task_id }: TaskArguments, context) {
    if (isOutside(context)) return missingScope("task_cancel");
    if ((await loadTask(task_id, context)) === undefined) return unknownTask("task_cancel", task_id);
    const cancelled_ids = await context.runs.cancel(task_id);
    return { cancelled_ids: [...cancelled_ids], count: cancelled_ids.length };
  },
});

const taskOutput = defineTool({
  id: "task_output",
  description: "Reads the result of a background task, once it is over.",
  inputSchema: taskSchema("task_id"),
  class: "read_only",
  async execute({ task_id }: TaskArguments, context) {
    if (isOutside(context)) return missingScope("task_output");
    const task = await loadTask(task_id, context);
    if (task === undefined) return unknownTask("task_output", task_id);
    return { ...summarise(task, context), output: task.result ?? null, result_ref: refOf(task) };
  },
});

/** The tools that every agent with the plugin has. */
export const TASK_TOOLS: readonly Tool[] = [taskStatusTool, taskCancel, taskOutput];

/** A task of this thread. Runs of other agents are none. */
async function loadTask(taskId: string, { runs }: ToolContext): Promise<ChildRun | undefined> {
  const run = await runs.load(taskId);
  return run?.toolId === undefined ? undefined : run;
}

function summarise(
  { runId, toolId = "", status, error, attempt = 0 }: ChildRun,
  { tools, identity: { threadId } }: ToolContext,
): JsonObject {
  const tool = tools.find(({ id }) => id === toolId);
  return {
    task_id: runId,
    tool: toolId,
    status: taskStatus(status),
    error: error ?? null,
    attempt,
    // Whether a crash has the call run again by itself. Otherwise a person decides.
    supports_resume: tool !== undefined && (tool.idempotent || tool.class === "read_only"),
    // The tasks of a task are those of its thread.
    parent_task_id: threadId.startsWith("task:") ? threadId.slice("task:".length) : null,
  };
}

/** A result too large for the conversation is kept outside of it. */
function refOf({ result = null }: ChildRun): Json {
  const ref = getAt(result, ["truncated"]) === true ? getAt(result, ["ref"]) : undefined;
  return ref ?? null;
}

function unknownTask(tool: string, taskId: string): MarkedResult {
  const message = `There is no background task ${JSON.stringify(taskId)} that was started from this thread.`;
  return refuse(tool, { code: "unknown_task", message });
}

function taskSchema(...required: readonly string[]): JsonObject {
  const properties = { task_id: { type: "string", description: "The id that the call in the background returned." } };
  return { type: "object", properties, required, additionalProperties: false };
}
