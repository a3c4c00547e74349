import {
  needed,
  nonEmptyText,
  type ObjectShape,
  openObjectOf,
  optional,
  wholeNumberFrom,
} from "@reprise/contracts/shape";
import {
  A2aError,
  type A2aMessage,
  type A2aMethod,
  type A2aPushConfig,
  type A2aStreamItem,
  type A2aTask,
  decodeSend,
  isTerminalState,
  messageOfTask,
  PUSH_CONFIG,
  readParams,
} from "@reprise/protocols/a2a";
import type { RunHandle } from "@reprise/runtime";
import type { HttpExchange } from "../host/route.ts";
import { assertScope, type Scope } from "../security/principal.ts";
import { positionsOf } from "../wire/runs-below.ts";
import { loadAgentCard } from "./agent-cards.ts";
import { findTask, loadTask } from "./find-task.ts";
import { listTasks } from "./list-tasks.ts";
import {
  assertReceiver,
  createPushConfig,
  deletePushConfig,
  getPushConfig,
  listPushConfigs,
} from "./push/push-configs.ts";
import { assertAgent, type Sent, sendMessage } from "./send-message.ts";
import { streamMessage, streamTask } from "./stream-task.ts";

/** One call of the protocol, by either binding. */
export interface A2aRequest {
  readonly exchange: HttpExchange;
  readonly agentId: string;
  readonly params: unknown;
  /** Puts an item of a stream into what the binding sends. */
  readonly wrap: (item: A2aStreamItem) => unknown;
}

/** The result of an operation: a value for the binding to send, or a stream that is being sent. */
type Result = { readonly value: unknown } | { readonly stream: Response };

interface Operation {
  readonly scope: Scope;
  perform(request: A2aRequest): Promise<Result>;
}

interface TaskParams {
  readonly id: string;
  readonly historyLength?: number;
}

const TASK: ObjectShape<TaskParams> = openObjectOf<TaskParams>({
  id: needed(nonEmptyText),
  historyLength: optional(wholeNumberFrom(0)),
});

/** Every operation of the protocol. The bindings differ only in where the parameters are and how a result is sent. */
const OPERATIONS: Readonly<Record<A2aMethod, Operation>> = {
  SendMessage: {
    scope: "run",
    async perform({ exchange, agentId, params }) {
      const { message, configuration = {} } = decodeSend(params);
      const push = configuration.taskPushNotificationConfig;
      if (push !== undefined) assertReceiver(exchange, push);
      const sent = await sendMessage(exchange, agentId, message);
      const { run } = sent;
      if (push !== undefined) await createPushConfig(exchange, agentId, sent, push);
      if (wantsMessage(exchange, agentId, message, push)) {
        const answered = await answerOf(exchange, run);
        if (answered !== undefined) return { value: { message: answered } };
      }
      const isImmediate = configuration.returnImmediately === true;
      if (!isImmediate) await settled(exchange, run);
      const { historyLength } = configuration;
      const task = await loadTask(exchange, { run }, historyLength === undefined ? {} : { historyLength });
      return { value: { task: isImmediate ? underWay(task, sent) : task } };
    },
  },
  SendStreamingMessage: {
    scope: "run",
    async perform({ exchange, agentId, params, wrap }) {
      const { message, configuration = {} } = decodeSend(params);
      const push = configuration.taskPushNotificationConfig;
      if (push !== undefined) assertReceiver(exchange, push);
      const sent = await sendMessage(exchange, agentId, message);
      const { run, known } = sent;
      if (push !== undefined) await createPushConfig(exchange, agentId, sent, push);
      if (wantsMessage(exchange, agentId, message, push)) {
        const answered = await answerOf(exchange, run);
        if (answered !== undefined) return { stream: streamMessage(exchange, run, answered, wrap) };
      }
      if (known === undefined) return { stream: streamTask(exchange, run, { wrap }) };
      const task = underWay(await loadTask(exchange, { run }), sent);
      return { stream: streamTask(exchange, run, { first: { task, known }, wrap }) };
    },
  },
  GetTask: {
    scope: "read",
    async perform({ exchange, agentId, params }) {
      const { id, historyLength } = readParams(TASK, params);
      const task = await findTask(exchange, agentId, id);
      return { value: await loadTask(exchange, task, historyLength === undefined ? {} : { historyLength }) };
    },
  },
  ListTasks: {
    scope: "read",
    async perform({ exchange, agentId, params }) {
      assertAgent(exchange, agentId);
      return { value: await listTasks(exchange, agentId, params) };
    },
  },
  CancelTask: {
    scope: "run",
    async perform({ exchange, agentId, params }) {
      const { id } = readParams(TASK, params);
      const { run, record } = await findTask(exchange, agentId, id);
      if (record?.status === "done") throw new A2aError("TASK_NOT_CANCELABLE", `Task ${id} is over.`);
      await run.cancel();
      await settled(exchange, run, CANCEL_PATIENCE_MS);
      return { value: await loadTask(exchange, { run }) };
    },
  },
  SubscribeToTask: {
    scope: "read",
    async perform({ exchange, agentId, params, wrap }) {
      const { id } = readParams(TASK, params);
      const { run, record } = await findTask(exchange, agentId, id);
      // Read before the task: what happens in between is told in the stream.
      const known = record === undefined ? new Map() : await positionsOf(exchange.runtime, record);
      const task = await loadTask(exchange, { run, ...(record !== undefined && { record }) });
      if (isTerminalState(task.status.state)) throw new A2aError("UNSUPPORTED_OPERATION", `Task ${id} is over.`);
      return { stream: streamTask(exchange, run, { first: { task, known }, follow: true, wrap }) };
    },
  },
  CreateTaskPushNotificationConfig: {
    scope: "run",
    async perform({ exchange, agentId, params }) {
      const config = readParams(PUSH_CONFIG, params);
      const { run, record } = await findTask(exchange, agentId, config.taskId ?? "");
      // The state that the task rests in is told too: the client may have read an earlier one.
      const after = (record?.last_seq ?? 1) - 1;
      return { value: await createPushConfig(exchange, agentId, { run, after }, config) };
    },
  },
  GetTaskPushNotificationConfig: {
    scope: "read",
    perform: async ({ exchange, agentId, params }) => ({ value: await getPushConfig(exchange, agentId, params) }),
  },
  ListTaskPushNotificationConfigs: {
    scope: "read",
    perform: async ({ exchange, agentId, params }) => ({ value: await listPushConfigs(exchange, agentId, params) }),
  },
  DeleteTaskPushNotificationConfig: {
    scope: "run",
    perform: async ({ exchange, agentId, params }) => ({ value: await deletePushConfig(exchange, agentId, params) }),
  },
  GetExtendedAgentCard: {
    scope: "read",
    async perform({ exchange, agentId }) {
      return { value: loadAgentCard(exchange, agentId) };
    },
  },
};

export async function performOperation(method: A2aMethod, request: A2aRequest): Promise<Result> {
  const { scope, perform } = OPERATIONS[method];
  assertScope(request.exchange.principal, scope);
  return perform(request);
}

/** Whether a message is answered with a message. One that belongs to a task, or whose client follows a task, is not. */
function wantsMessage(
  { host }: HttpExchange,
  agentId: string,
  { messageId, taskId = "" }: A2aMessage,
  push: A2aPushConfig | undefined,
): boolean {
  return taskId === "" && push === undefined && host.a2a.answersWithMessage?.({ agentId, messageId }) === true;
}

/** The answer of a run that completed. Undefined for a run that asks, fails or is cancelled: its client gets the task. */
async function answerOf(exchange: HttpExchange, run: RunHandle): Promise<A2aMessage | undefined> {
  await settled(exchange, run);
  const task = await loadTask(exchange, { run });
  return task.status.state === "TASK_STATE_COMPLETED" ? messageOfTask(task) : undefined;
}

/** A task that was just answered. It asks until a process takes the answers up, though nothing more is needed of the client. */
function underWay(task: A2aTask, { isAnswer }: Sent): A2aTask {
  if (isAnswer !== true || task.status.state !== "TASK_STATE_INPUT_REQUIRED") return task;
  const { message: _, ...status } = task.status;
  return { ...task, status: { ...status, state: "TASK_STATE_WORKING" } };
}

/** A cancelled run ends at once where its process is alive. The task says how it stands after this time. */
const CANCEL_PATIENCE_MS = 5_000;

/** Waits until the run is over, or until nothing happens in it and in the runs below it before a person decides. */
async function rested(run: RunHandle, signal: AbortSignal): Promise<void> {
  try {
    for await (const _ of run.events({ children: "progress", signal }));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** Waits until the task needs input or is over, its client is gone, or it took too long. */
async function settled({ context }: HttpExchange, run: RunHandle, patienceMs?: number): Promise<void> {
  const { signal } = context.req.raw;
  const stopped = new AbortController();
  const gone = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true, signal: stopped.signal });
    if (patienceMs === undefined) return;
    const timer = setTimeout(resolve, patienceMs);
    stopped.signal.addEventListener("abort", () => clearTimeout(timer), { once: true });
  });
  try {
    await Promise.race([run.outcome(), rested(run, stopped.signal), gone]);
  } finally {
    stopped.abort();
  }
}
