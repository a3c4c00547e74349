import type { MailboxEntry, RunRecord } from "@reprise/contracts";
import { A2aError, type A2aTask, bareTask, type EncodeTaskOptions, encodeTask } from "@reprise/protocols/a2a";
import type { RunHandle, TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { browserUrl } from "../blobs/blob-url.ts";
import type { HttpExchange } from "../host/route.ts";
import { findRecord, findRun } from "../wire/find-record.ts";
import { embedFiles } from "./embed-files.ts";
import { loadQuestions } from "./load-questions.ts";

/** A task: a run of the agent that its address names. */
export interface Task {
  readonly run: RunHandle;
  /** Absent while the run is queued, and when it never began. */
  readonly record?: RunRecord;
}

/** More messages than these are not shown with a task; they can be listed by its thread. */
const MAX_MESSAGES = 200;

/** A run of an agent. A run of another agent is not found here, as one that does not exist. */
export async function findTask({ runtime }: HttpExchange, agentId: string, taskId: string): Promise<Task> {
  const run = await findRun(runtime, taskId);
  const record = run === undefined ? undefined : await findRecord(run);
  if (run === undefined) throw notFound(taskId);
  const owner = record?.agent_id ?? (await findQueued(runtime, run))?.request?.agent_id;
  if (owner !== agentId) throw notFound(taskId);
  return { run, ...(record !== undefined && { record }) };
}

function notFound(taskId: string): A2aError {
  return new A2aError("TASK_NOT_FOUND", `task not found: ${taskId.slice(0, 200)}`);
}

export function loadTask(exchange: HttpExchange, task: Task, options: EncodeTaskOptions = {}): Promise<A2aTask> {
  return loadTaskOf(exchange.runtime, task, { ...options, fileUrl: (url) => browserUrl(exchange, url) });
}

/** The same without a request. `fileUrl` says where a client finds the files that are too large to be sent. */
export async function loadTaskOf(
  runtime: TenantRuntime,
  { run, record: known }: Task,
  options: EncodeTaskOptions,
): Promise<A2aTask> {
  const record = known ?? (await findRecord(run));
  if (record === undefined) return loadUnbegun(runtime, run);
  const [{ messages }, questions, output] = await Promise.all([
    runtime.threads.messages(record.thread_id, { runId: record.run_id, limit: MAX_MESSAGES }),
    loadQuestions(runtime, record),
    options.includeArtifacts === false ? undefined : loadOutput(run, record),
  ]);
  const embedded = options.includeArtifacts === false ? messages : await embedFiles(runtime.blobs, messages);
  const source = { run: record, messages: embedded, questions, ...(output !== undefined && { output }) };
  return encodeTask(source, options);
}

/** The answer of an agent with an output schema. */
async function loadOutput(run: RunHandle, { status }: RunRecord): Promise<Json | undefined> {
  if (status !== "done") return undefined;
  const outcome = await run.outcome();
  return outcome.status === "done" ? outcome.output : undefined;
}

/** The entry of a run in the queue of its thread. */
export async function findQueued(
  { mailbox }: Pick<TenantRuntime, "mailbox">,
  { id }: RunHandle,
): Promise<MailboxEntry | undefined> {
  return (await mailbox.list({ runId: id })).items.find(({ kind }) => kind === "run");
}

/** A task whose run is queued, or was taken from the queue. */
async function loadUnbegun(runtime: TenantRuntime, run: RunHandle): Promise<A2aTask> {
  const entry = await findQueued(runtime, run);
  const ids = { taskId: run.id, contextId: run.threadId };
  const time = entry?.updated_at ?? runtime.now();
  if (entry?.status === "dead_letter") return bareTask(ids, "TASK_STATE_FAILED", time);
  const isOver = entry?.status === "cancelled" || entry?.status === "superseded";
  return bareTask(ids, isOver ? "TASK_STATE_CANCELED" : "TASK_STATE_SUBMITTED", time);
}
