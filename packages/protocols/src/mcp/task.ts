import type { RunRecord } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import { encodeCallResult, type McpTarget } from "./call-result.ts";
import { encodeQuestionRequests } from "./create-encoder.ts";
import type { McpEra } from "./decode-message.ts";
import { RPC_CODES } from "./json-rpc.ts";
import type { McpRunState } from "./run-state.ts";

/** How long a task can be asked for at least, and how often is often enough. Runs are kept until the operator forgets them. */
const TASK_TTL_MS = 86_400_000;
const TASK_POLL_MS = 1_000;

/** A run as a task: its id, its times, and what its events told. */
export interface TaskRun {
  readonly id: string;
  readonly thread_id: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Absent before the run began. */
  readonly status?: RunRecord["status"];
  readonly state: McpRunState;
}

type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** The status of a task. A run that waits for a person whom this client cannot ask is still under way for the client. */
export function taskStatus({ status, state }: TaskRun, elicits: boolean): TaskStatus {
  const { end, questions } = state;
  if (status === "waiting" && elicits && questions.length > 0) return "input_required";
  if (status !== "done" || end === undefined) return "working";
  if (end.termination.type === "cancelled") return "cancelled";
  return end.termination.type === "error" ? "failed" : "completed";
}

/** The fields that every description of a task has, in the names of its era. */
export function encodeTask(run: TaskRun, era: McpEra, elicits: boolean): JsonObject {
  const { message } = run.state;
  const isWaiting = run.status === "waiting" && run.state.questions.length > 0;
  const statusMessage = isWaiting && !elicits ? "The run needs the decision of a person." : message;
  return {
    taskId: run.id,
    status: taskStatus(run, elicits),
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(run.createdAt).toISOString(),
    lastUpdatedAt: new Date(run.updatedAt).toISOString(),
    ...(era === "session"
      ? { ttl: TASK_TTL_MS, pollInterval: TASK_POLL_MS }
      : { ttlMs: TASK_TTL_MS, pollIntervalMs: TASK_POLL_MS }),
  };
}

/** A task of 2026-07-28 with everything in it: its questions, its result or its error. */
export function encodeDetailedTask(run: TaskRun, target: McpTarget, elicits: boolean): JsonObject {
  const task = encodeTask(run, "stateless", elicits);
  const { end } = run.state;
  if (task.status === "input_required") return { ...task, inputRequests: encodeQuestionRequests(run.state) };
  if (task.status === "failed" && end?.termination.type === "error")
    return { ...task, error: { code: RPC_CODES.internal, message: end.termination.value } };
  const result = encodeTaskResult(run, target);
  if (task.status !== "completed" || result === undefined) return task;
  // The result of the call, whole: it says of which kind it is, as every result of this revision does.
  return { ...task, result: { resultType: "complete", ...result } };
}

/** The result of a task that is over. */
export function encodeTaskResult({ id, thread_id, state }: TaskRun, target: McpTarget): JsonObject | undefined {
  const { end, result } = state;
  if (end === undefined || end.termination.type === "suspended") return undefined;
  return encodeCallResult({ run_id: id, thread_id, end, ...(result !== undefined && { result }) }, target);
}
