import { notFound, type RunRecord, type RunRequest } from "@reprise/contracts";
import {
  A2aError,
  type A2aMessage,
  decodeAnswers,
  decodeMessage,
  type OpenQuestion,
  stateOfRun,
} from "@reprise/protocols/a2a";
import { keepFiles } from "../blobs/keep-files.ts";
import type { HttpExchange } from "../host/route.ts";
import { submitOnce } from "../idempotency/submit-once.ts";
import { assertScope, deciderOf } from "../security/principal.ts";
import { positionsOf } from "../wire/runs-below.ts";
import { findTask, type Task } from "./find-task.ts";
import { loadQuestions, loadQuestionsBelow } from "./load-questions.ts";

/** The task that a message went to, and how much of its stream came before the message. */
export interface Sent extends Task {
  readonly after: number;
  /** The same for the run and for each run below it. Absent for a new task. */
  readonly known?: ReadonlyMap<string, number>;
  /** The message answers questions of the task, which goes on with the answers. */
  readonly isAnswer?: true;
}

export function assertAgent({ runtime }: HttpExchange, agentId: string): void {
  if (!runtime.agents().some(({ id }) => id === agentId)) throw notFound("AGENT_NOT_FOUND", "agent", agentId);
}

/**
 * Sends a message. Without a task it begins one, in the context it names or a new one. A task that needs input gets its answers from
 * the message; one at work takes the message in at its next step; one that is over takes none.
 */
export async function sendMessage(exchange: HttpExchange, agentId: string, message: A2aMessage): Promise<Sent> {
  assertAgent(exchange, agentId);
  const { taskId = "", contextId = "" } = message;
  if (taskId === "") return { run: await submit(exchange, agentId, message), after: 0 };
  const task = await findTask(exchange, agentId, taskId);
  const { run, record } = task;
  if (contextId !== "" && contextId !== run.threadId) {
    throw new A2aError("INVALID_PARAMS", `message.contextId is not the context of task ${taskId}.`);
  }
  if (record?.status === "done") {
    throw new A2aError("UNSUPPORTED_OPERATION", `Task ${taskId} is over. Send the message without taskId to continue.`);
  }
  const known = record === undefined ? {} : { known: await positionsOf(exchange.runtime, record) };
  const questions = record === undefined ? [] : await findQuestions(exchange, record, message);
  if (record !== undefined && (questions.length > 0 || stateOfRun(record) === "TASK_STATE_INPUT_REQUIRED")) {
    assertScope(exchange.principal, "decide");
    const decisions = decodeAnswers(message, questions);
    await exchange.runtime.decisions.forward(record.run_id, decisions, deciderOf(exchange.principal));
    return { run, after: record.last_seq, ...known, isAnswer: true };
  }
  const steering = { ...message, contextId: run.threadId };
  const steered = await submit(exchange, agentId, steering, { busy_policy: "steer" });
  return { run: steered, after: record?.last_seq ?? 0, ...known };
}

/**
 * The questions that a message may answer. A run that is at work beside runs below that ask takes answers for them: a stream tells their
 * questions as they come. Any other message is for the run itself.
 */
async function findQuestions(
  { runtime }: HttpExchange,
  record: RunRecord,
  message: A2aMessage,
): Promise<readonly OpenQuestion[]> {
  if (record.status !== "running" || record.has_children !== true) return loadQuestions(runtime, record);
  const { questions } = await loadQuestionsBelow(runtime, record);
  return questions.length > 0 && isAnswer(message, questions) ? questions : [];
}

function isAnswer(message: A2aMessage, questions: readonly OpenQuestion[]): boolean {
  try {
    return decodeAnswers(message, questions).length > 0;
  } catch {
    return false;
  }
}

async function submit(
  exchange: HttpExchange,
  agentId: string,
  message: A2aMessage,
  more: Partial<RunRequest> = {},
): Promise<Task["run"]> {
  const { contextId = "" } = message;
  return submitOnce(exchange, {
    agent_id: agentId,
    ...(contextId !== "" && { thread_id: contextId }),
    origin: "a2a",
    messages: await keepFiles(exchange, [decodeMessage(message)]),
    ...more,
  });
}
