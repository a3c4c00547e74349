import { type DecisionInput, type MessageInput, RepriseError } from "@reprise/contracts";
import {
  listOf,
  named,
  needed,
  nonEmptyText,
  type ObjectShape,
  openObjectOf,
  optional,
  text,
} from "@reprise/contracts/shape";
import { encodePlainTask } from "@reprise/protocols/a2a";
import type { HttpExchange } from "../host/route.ts";
import { answer, idHeaders } from "../http/answer.ts";
import { badRequest, HttpRefusal } from "../http/http-refusal.ts";
import { submitOnce } from "../idempotency/submit-once.ts";
import { assertScope, deciderOf } from "../security/principal.ts";
import { adaptDecisions } from "../wire/decode-decisions.ts";
import { readShaped } from "../wire/read-shaped.ts";
import { DECISION_BODY } from "../wire/run-body.ts";
import { findQueued, findTask, type Task } from "./find-task.ts";
import { assertAgent } from "./send-message.ts";

/** A message in the flat shape: texts instead of parts. */
interface PlainSend {
  readonly context_id?: string;
  readonly task_id?: string;
  readonly input?: string;
  readonly message?: { readonly role?: string; readonly content: string };
  readonly initial_decisions?: readonly DecisionInput[];
}

const PLAIN_SEND: ObjectShape<PlainSend> = openObjectOf<PlainSend>({
  context_id: named(optional(nonEmptyText), "contextId", "context_id"),
  task_id: named(optional(nonEmptyText), "taskId", "task_id"),
  input: optional(text),
  message: optional(openObjectOf<NonNullable<PlainSend["message"]>>({ role: optional(text), content: needed(text) })),
  initial_decisions: named(optional(listOf(DECISION_BODY)), "decisions", "initial_decisions"),
});

/** Begins a task, continues the thread of one, or forwards decisions to it. */
export async function answerPlainSend(exchange: HttpExchange, agentId: string): Promise<Response> {
  assertAgent(exchange, agentId);
  const { value } = readShaped(await exchange.body.json(), PLAIN_SEND, adaptDecisions);
  const { context_id, task_id, input, message, initial_decisions: decisions = [] } = value;
  if (Object.values(value).every((field) => field === undefined)) {
    throw badRequest("request must include input, message, decisions, contextId or taskId");
  }
  const messages: readonly MessageInput[] = [message?.content ?? input]
    .filter((content) => content !== undefined)
    .map((content) => ({ role: "user", content }));
  if (decisions.length > 0 && messages.length === 0) return forward(exchange, agentId, task_id, decisions);
  if (decisions.length > 0) assertScope(exchange.principal, "decide");
  const parent = task_id === undefined ? undefined : await findPlainTask(exchange, agentId, task_id);
  const threadId = parent?.run.threadId ?? context_id;
  const run = await submitOnce(exchange, {
    agent_id: agentId,
    ...(threadId !== undefined && { thread_id: threadId }),
    ...(parent !== undefined && { parent_run_id: parent.run.id }),
    origin: "a2a",
    messages,
    ...(decisions.length > 0 && { initial_decisions: decisions }),
  });
  return submitted(exchange, run.threadId, run.id, "submitted");
}

async function forward(
  exchange: HttpExchange,
  agentId: string,
  taskId: string | undefined,
  decisions: readonly DecisionInput[],
): Promise<Response> {
  if (taskId === undefined) throw badRequest("taskId is required for decision-only requests");
  assertScope(exchange.principal, "decide");
  const { run, record } = await findPlainTask(exchange, agentId, taskId);
  if (record === undefined) throw notActive();
  try {
    await exchange.runtime.decisions.forward(record.run_id, decisions, deciderOf(exchange.principal));
  } catch (error) {
    throw RepriseError.is(error, "RUN_NOT_ACTIVE") ? notActive() : error;
  }
  return submitted(exchange, record.thread_id, run.id, "decision_forwarded");
}

function submitted(exchange: HttpExchange, contextId: string, taskId: string, status: string): Response {
  return answer(exchange, 202, { contextId, taskId, status }, idHeaders({ run: taskId, thread: contextId }));
}

function notActive(): HttpRefusal {
  return badRequest("task is not active");
}

/** A task, or an error in the words of every other route. */
async function findPlainTask(exchange: HttpExchange, agentId: string, taskId: string): Promise<Task> {
  try {
    return await findTask(exchange, agentId, taskId);
  } catch (error) {
    throw error instanceof Error && error.name === "A2aError" ? new HttpRefusal(404, error.message) : error;
  }
}

/** More messages than these are not shown with a task. */
const MAX_HISTORY = 200;

export async function answerPlainTask(exchange: HttpExchange, agentId: string, taskId: string): Promise<Response> {
  assertAgent(exchange, agentId);
  const { run, record } = await findPlainTask(exchange, agentId, taskId);
  if (record === undefined) return answer(exchange, 200, await queuedTask(exchange, run));
  const query = { order: "desc", limit: MAX_HISTORY } as const;
  const { messages } = await exchange.runtime.threads.messages(record.thread_id, query);
  return answer(exchange, 200, encodePlainTask(record, messages.toReversed()));
}

/** A task whose run has no record, as the mailbox has it. */
async function queuedTask({ runtime }: HttpExchange, run: Task["run"]): Promise<object> {
  const entry = await findQueued(runtime, run);
  const time = entry?.updated_at ?? runtime.now();
  return {
    taskId: run.id,
    contextId: run.threadId,
    status: entry?.status ?? "queued",
    origin: entry?.request?.origin ?? "a2a",
    terminationCode: null,
    terminationDetail: entry?.last_error ?? null,
    createdAt: entry?.created_at ?? time,
    updatedAt: time,
    message: null,
    artifacts: [],
    history: [],
  };
}

export async function answerPlainCancel(exchange: HttpExchange, agentId: string, taskId: string): Promise<Response> {
  assertAgent(exchange, agentId);
  const { run, record } = await findPlainTask(exchange, agentId, taskId);
  if (record?.status === "done") throw notActive();
  await run.cancel();
  return answer(exchange, 202, { taskId, status: "cancel_requested" });
}
