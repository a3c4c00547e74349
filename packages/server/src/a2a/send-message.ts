import { notFound, type RunRequest } from "@reprise/contracts";
import { A2aError, type A2aMessage, decodeAnswers, decodeMessage, stateOfRun } from "@reprise/protocols/a2a";
import { keepFiles } from "../blobs/keep-files.ts";
import type { HttpExchange } from "../host/route.ts";
import { submitOnce } from "../idempotency/submit-once.ts";
import { assertScope, deciderOf } from "../security/principal.ts";
import { findTask, loadQuestions, type Task } from "./find-task.ts";

/** The task that a message went to, and how much of its stream came before the message. */
export interface Sent extends Task {
  readonly after: number;
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
  if (record !== undefined && stateOfRun(record) === "TASK_STATE_INPUT_REQUIRED") {
    assertScope(exchange.principal, "decide");
    const decisions = decodeAnswers(message, await loadQuestions(exchange.runtime, record));
    await exchange.runtime.decisions.forward(record.run_id, decisions, deciderOf(exchange.principal));
    return { run, after: record.last_seq, isAnswer: true };
  }
  const steering = { ...message, contextId: run.threadId };
  return { run: await submit(exchange, agentId, steering, { busy_policy: "steer" }), after: record?.last_seq ?? 0 };
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
