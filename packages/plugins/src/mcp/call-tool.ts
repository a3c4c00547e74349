import {
  changeState,
  describeThrown,
  executeLater,
  type MarkedEffect,
  type MarkedResult,
  suspendTool,
  type ToolContext,
  ToolError,
  toolEffect,
  toolResult,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { type GivenResult, originMetadata, type ResultOrigin, readCallResult } from "./call-result.ts";
import type { ConnectionCall, McpClient, McpConnection } from "./connection.ts";
import { cut } from "./listed-tool.ts";
import { loadClient } from "./load-client.ts";
import { DEFAULTS } from "./mcp-settings.ts";
import type { McpSampling } from "./mcp-types.ts";
import { OpenCall, Silence } from "./open-call.ts";
import {
  type InputRequest,
  mcpWaiting,
  type Question,
  questionsOf,
  type Reply,
  readQuestion,
  readReplies,
  suspendWith,
  type Waiting,
} from "./questions.ts";
import {
  ANYTHING,
  cancelTask,
  getTask,
  getTaskResult,
  mcpTasks,
  nextLookMs,
  TASKS_EXTENSION,
  type Task,
  taskOf,
  updateTask,
  wantsTask,
} from "./tasks.ts";
import { traceMeta } from "./trace-meta.ts";

/** The answer of a server to a call: a result, or the input that it needs first. */
interface Answer extends GivenResult {
  readonly resultType?: string;
  readonly inputRequests?: { readonly [key: string]: InputRequest };
  readonly requestState?: string;
}

/** The answers and the server's state that a repeated call carries. */
interface Answered {
  readonly inputResponses?: { readonly [key: string]: Json };
  readonly requestState?: string;
}

/** A server that only ever asks for another round is not listened to for ever. */
const MAX_ROUNDS = 10;
/** The longest a timer takes. Our own limits end a call. */
const NO_LIMIT_MS = 2_147_483_647;
const MAX_ERROR_CHARS = 500;

type WaitingTask = Extract<Waiting, { kind: "task" }>;
/** Progress is shown this often at most, and when it moved this far. */
const PROGRESS_MS = 100;
const PROGRESS_PART = 0.01;

/** Makes the calls of all connections, and keeps those whose server waits for a person. */
export class McpCalls {
  readonly #sampling: McpSampling | undefined;
  /** The calls under way, by connection and call id. */
  readonly #open = new Map<McpConnection, Map<string, OpenCall<Answer>>>();

  constructor(sampling: McpSampling | undefined) {
    this.#sampling = sampling;
  }

  /** The capabilities of every client. */
  get capabilities(): object {
    return {
      elicitation: { form: {}, url: {} },
      ...(this.#sampling !== undefined && { sampling: {} }),
      extensions: { [TASKS_EXTENSION]: {} },
    };
  }

  /** Has a client pass on what its server asks while a call is under way. */
  configure(connection: () => McpConnection, client: McpClient): void {
    client.setRequestHandler("elicitation/create", async ({ params }) => ({
      ...(await this.#elicit(connection(), readQuestion(params))),
    }));
    const sampling = this.#sampling;
    if (sampling === undefined) return;
    // The result is checked by the client.
    client.setRequestHandler("sampling/createMessage", async ({ params }) => (await sampling(params as Json)) as never);
  }

  /** Executes a call, or continues a suspended one. */
  async execute(call: ConnectionCall): Promise<unknown> {
    const { context } = call;
    const kept = context.state.get(mcpWaiting);
    if (kept.kind === "task") return this.#lookAt(call, kept as WaitingTask);
    const waiting = context.decision === undefined ? undefined : kept;
    if (waiting?.kind === "input") return this.#answerInput(call, waiting as Extract<Waiting, { kind: "input" }>);
    if (waiting?.kind === "session") return this.#answerSession(call, waiting.question as Question);
    return this.#begin(call, {});
  }

  /** A call will not go on: a person denied it, or its question expired. */
  drop(callId: string): void {
    for (const calls of this.#open.values()) {
      const open = calls.get(callId);
      open?.answer({ action: "decline" });
      open?.stop(new Error("The call was denied."));
      calls.delete(callId);
    }
  }

  close(): void {
    for (const calls of this.#open.values())
      for (const open of calls.values()) open.stop(new Error("The plugin closed."));
    this.#open.clear();
  }

  /** The server asks during a call. A request does not say which call it belongs to: with several, a mutating one comes first. */
  async #elicit(connection: McpConnection, question: Question): Promise<Reply> {
    const open = [...(this.#open.get(connection)?.values() ?? [])].filter((call) => !call.isOver && !call.isAsking);
    const asking = open.find(({ isReadOnly }) => !isReadOnly) ?? open[0];
    return asking === undefined ? { action: "cancel" } : asking.ask(question);
  }

  async #begin(call: ConnectionCall, answered: Answered, round = 0): Promise<unknown> {
    const client = await connectFor(call.connection);
    return this.#goOn(
      call,
      this.#openCall(call, async (own) => send(client, call, answered, own)),
      round,
    );
  }

  #openCall(call: ConnectionCall, request: (open: OpenCall<Answer>) => Promise<Answer>): OpenCall<Answer> {
    const { connection, context } = call;
    const { timeout_ms: silenceMs = DEFAULTS.timeout_ms } = connection.settings;
    const open = new OpenCall<Answer>({ silenceMs, isReadOnly: isRepeatable(call) }, request);
    const calls = this.#open.get(connection) ?? new Map<string, OpenCall<Answer>>();
    this.#open.set(connection, calls);
    calls.set(context.identity.callId, open);
    return open;
  }

  /** Looks at the task that a server made of a call. Everything here may be repeated, in any process. */
  async #lookAt(call: ConnectionCall, waiting: WaitingTask): Promise<unknown> {
    const { connection, context } = call;
    const { task_id: taskId, question } = waiting;
    const options = { signal: context.signal, timeout: connection.settings.timeout_ms ?? DEFAULTS.timeout_ms };
    try {
      const client = await connection.client();
      if (question !== undefined && context.decision !== undefined)
        return await this.#answerTaskSession(call, waiting, client);
      const read = await this.#answerTask(call, waiting, client, options);
      if (typeof read === "string") return suspend(context, connection.server, waiting, read);
      const { since } = waiting;
      const next: WaitingTask = { kind: "task", task_id: taskId, since, ...(read.length > 0 && { answered: read }) };
      const task = await getTask(client, taskId, options);
      if (task.status === "working") return waitForTask(call, next, task);
      if (task.status === "cancelled") throw new ToolError("cancelled", `The server cancelled the task of ${call.id}.`);
      if (client.getProtocolEra() !== "modern") return await this.#readTaskResult(call, next, client);
      if (task.status === "input_required") return await this.#askForTask(call, next, task);
      return await finishTask(call, task);
    } catch (error) {
      context.signal.throwIfAborted();
      return await recoverTask(call, waiting, error);
    }
  }

  /** Passes on what a person decided about the questions of a task. Answers with the keys of all that is answered, or with a problem. */
  async #answerTask(
    call: ConnectionCall,
    { task_id: taskId, requests, answered = [] }: WaitingTask,
    client: McpClient,
    options: { readonly signal: AbortSignal; readonly timeout: number },
  ): Promise<readonly string[] | string> {
    const { decision } = call.context;
    if (requests === undefined || decision === undefined) return answered;
    const read = readReplies(questionsOf(requests), decision);
    if (!read.ok) return read.problem;
    const inputResponses = { ...(await this.#answerAlone(call, requests)), ...read.replies };
    await updateTask(client, { taskId, inputResponses }, options);
    return [...answered, ...Object.keys(inputResponses)];
  }

  /** Has a person answer what a task asks. What was answered before may still be told, and is not asked again. */
  async #askForTask(call: ConnectionCall, waiting: WaitingTask, task: Task): Promise<unknown> {
    const { answered = [] } = waiting;
    const open = Object.entries(task.inputRequests ?? {}).filter(([key]) => !answered.includes(key));
    const requests = Object.fromEntries(open);
    if (open.length === 0) return waitForTask(call, waiting, task);
    if (questionsOf(requests).size > 0) return suspend(call.context, call.connection.server, { ...waiting, requests });
    const inputResponses = await this.#answerAlone(call, requests);
    const client = await call.connection.client();
    await updateTask(client, { taskId: task.taskId, inputResponses }, { signal: call.context.signal });
    return waitForTask(call, { ...waiting, answered: [...answered, ...Object.keys(inputResponses)] }, task);
  }

  /** The 2025 era has a request of its own for the result of a task, in whose session the server asks. */
  #readTaskResult(call: ConnectionCall, waiting: WaitingTask, client: McpClient): Promise<unknown> {
    const open = this.#openCall(
      call,
      async ({ signal }) =>
        (await getTaskResult(client, waiting.task_id, { signal, timeout: NO_LIMIT_MS })) as unknown as Answer,
    );
    return this.#goOn(call, open, 0, waiting);
  }

  async #answerTaskSession(call: ConnectionCall, waiting: WaitingTask, client: McpClient): Promise<unknown> {
    const { connection, context } = call;
    const { question, ...task } = waiting;
    const open = this.#open.get(connection)?.get(context.identity.callId);
    // The session that asked is gone: the server asks again in the next one.
    if (question === undefined || open === undefined || open.isOver) return this.#readTaskResult(call, task, client);
    const read = readReplies(new Map([["answer", question]]), context.decision ?? {});
    if (!read.ok) return suspend(context, connection.server, waiting, read.problem);
    open.answer(read.replies.answer ?? { action: "cancel" });
    return this.#goOn(call, open, 0, task);
  }

  /** Waits for what comes next of a call. */
  async #goOn(call: ConnectionCall, open: OpenCall<Answer>, round: number, task?: WaitingTask): Promise<unknown> {
    const { connection, context } = call;
    const { callId } = context.identity;
    let isKept = false;
    try {
      const next = await open.next(context.signal);
      if (next.type === "done" && task !== undefined) return await finishTask(call, { result: next.result });
      if (next.type === "done") return await this.#finish(call, next.result, round);
      isKept = true;
      const { question } = next;
      const waiting: Waiting = task === undefined ? { kind: "session", question } : { ...task, question };
      return suspend(context, connection.server, waiting);
    } catch (error) {
      context.signal.throwIfAborted();
      return task === undefined ? await this.#recover(call, error, round) : await recoverTask(call, task, error);
    } finally {
      const calls = this.#open.get(connection);
      if (!isKept && calls?.get(callId) === open) calls.delete(callId);
    }
  }

  async #finish(call: ConnectionCall, answer: Answer, round: number): Promise<unknown> {
    const task = taskOf(answer);
    if (task !== undefined) return waitForTask(call, { kind: "task", task_id: task.taskId, since: Date.now() }, task);
    if (answer.resultType !== "input_required") return finishResult(call, answer);
    const { inputRequests: requests = {}, requestState } = answer;
    if (round >= MAX_ROUNDS)
      throw new ToolError("execution_failed", `${call.id} asked for input ${round} times in a row.`);
    const state = requestState === undefined ? {} : { requestState };
    if (questionsOf(requests).size === 0) {
      const inputResponses = await this.#answerAlone(call, requests);
      return this.#begin(call, { inputResponses, ...state }, round + 1);
    }
    const kept = requestState === undefined ? {} : { request_state: requestState };
    return suspend(call.context, call.connection.server, { kind: "input", requests, ...kept });
  }

  /** Answers what needs no person. */
  async #answerAlone(
    { id }: ConnectionCall,
    requests: { readonly [key: string]: InputRequest },
  ): Promise<Record<string, Json>> {
    const answers: Record<string, Json> = {};
    for (const [key, { method, params = {} }] of Object.entries(requests)) {
      if (method === "elicitation/create") continue;
      if (method !== "sampling/createMessage" || this.#sampling === undefined)
        throw new ToolError("execution_failed", `${id} asks for ${method}, which is not offered to this server.`);
      answers[key] = await this.#sampling(params);
    }
    return answers;
  }

  async #answerInput(call: ConnectionCall, waiting: Extract<Waiting, { kind: "input" }>): Promise<unknown> {
    const questions = questionsOf(waiting.requests);
    const read = readReplies(questions, call.context.decision ?? {});
    if (!read.ok) return suspend(call.context, call.connection.server, waiting, read.problem);
    const alone = await this.#answerAlone(call, waiting.requests);
    const inputResponses = { ...alone, ...(read.replies as unknown as Record<string, Json>) };
    const { request_state: requestState } = waiting;
    return this.#begin(call, { inputResponses, ...(requestState !== undefined && { requestState }) });
  }

  async #answerSession(call: ConnectionCall, question: Question): Promise<unknown> {
    const { connection, context } = call;
    const questions = new Map([["answer", question]]);
    const read = readReplies(questions, context.decision ?? {});
    if (!read.ok) return suspend(context, connection.server, { kind: "session", question }, read.problem);
    const open = this.#open.get(connection)?.get(context.identity.callId);
    if (open !== undefined && !open.isOver) {
      open.answer(read.replies.answer ?? { action: "cancel" });
      return this.#goOn(call, open, 0);
    }
    // The session that asked is gone. What may be repeated begins again, and the server asks again.
    return isRepeatable(call)
      ? this.#begin(call, {})
      : askWhatHappened(call, "The session in which the server asked is gone.");
  }

  /** Handles a call that failed on its way: repeats it once if it may be repeated, and otherwise asks whether it took effect. */
  async #recover(call: ConnectionCall, error: unknown, round: number): Promise<unknown> {
    if (ToolError.is(error)) throw error;
    const { connection, id } = call;
    const loss = await judge(error);
    if (loss === "answered") throw new ToolError("execution_failed", describeThrown(error));
    if (loss === "silent") throw new ToolError("timeout", describeThrown(error));
    await connection.close().catch(() => undefined);
    const isSafe = loss === "unsent" || isRepeatable(call);
    if (isSafe && round === 0) return this.#begin(call, {}, round + 1);
    if (isSafe) throw new ToolError("execution_failed", `${id} failed: ${describeThrown(error)}`);
    return askWhatHappened(call, "The connection to the server was lost.");
  }
}

/** Suspends a call until its task is worth another look. A task that takes too long is cancelled. */
async function waitForTask(call: ConnectionCall, waiting: WaitingTask, task: Task): Promise<MarkedEffect> {
  const { connection, context, id } = call;
  const { max_task_ms: most = DEFAULTS.max_task_ms } = connection.settings;
  const ageMs = Date.now() - waiting.since;
  if (ageMs > most) {
    await stopTask(connection, waiting.task_id);
    throw new ToolError("timeout", `The task of ${id} took longer than ${most} ms.`);
  }
  const { callId } = context.identity;
  const delayMs = nextLookMs(task, ageMs);
  const { statusMessage: message = "The server works on a task." } = task;
  return toolEffect(executeLater({ delayMs, message }), [
    changeState(mcpWaiting.set(waiting), callId),
    changeState(mcpTasks.open({ call: callId, server: connection.server, task_id: waiting.task_id })),
  ]);
}

/** The end of a task, in the form of the 2026 era. */
async function finishTask(call: ConnectionCall, { result, error }: Pick<Task, "result" | "error">): Promise<unknown> {
  if (result === undefined)
    throw new ToolError("execution_failed", cut(String(error?.message ?? "The task failed."), MAX_ERROR_CHARS));
  const close = changeState(mcpTasks.close(call.context.identity.callId));
  return toolEffect(await finishResult(call, Object(result)), [close]);
}

/** A task that cannot be looked at is looked at later. One that the server does not know any more leaves its outcome unknown. */
async function recoverTask(call: ConnectionCall, waiting: WaitingTask, error: unknown): Promise<unknown> {
  if (ToolError.is(error)) throw error;
  if ((await judge(error)) !== "answered")
    return waitForTask(call, waiting, { taskId: waiting.task_id, status: "working" });
  const said = cut(describeThrown(error), MAX_ERROR_CHARS);
  if (isRepeatable(call)) throw new ToolError("execution_failed", `The task of ${call.id} is lost: ${said}`);
  return askWhatHappened(call, `The server says of the task: ${said}.`);
}

/** Ends a task at its server. A server that cannot be reached ends it by itself when its time to live is over. */
export async function stopTask(connection: McpConnection, taskId: string): Promise<void> {
  const { connect_timeout_ms: timeout = DEFAULTS.connect_timeout_ms } = connection.settings;
  await connection
    .client()
    .then((client) => cancelTask(client, taskId, { timeout }))
    .catch(() => undefined);
}

/** Whether a call may be made again without a person's consent. */
function isRepeatable({ connection, id }: ConnectionCall): boolean {
  const tool = connection.tools.find(({ descriptor }) => descriptor.id === id)?.descriptor;
  return tool !== undefined && (tool.class === "read_only" || tool.idempotent);
}

async function connectFor(connection: McpConnection): Promise<McpClient> {
  try {
    return await connection.client();
  } catch (error) {
    const message = `The MCP server ${connection.server} cannot be reached: ${describeThrown(error)}`;
    throw new ToolError("execution_failed", message, { cause: error });
  }
}

async function send(
  client: McpClient,
  { connection, tool, input, context }: ConnectionCall,
  answered: Answered,
  open: OpenCall<Answer>,
): Promise<Answer> {
  const { max_call_ms: most = DEFAULTS.max_call_ms } = connection.settings;
  const show = throttle(context);
  const { outputSchema: _, ...definition } = tool;
  const params = { name: tool.name, arguments: { ...input }, _meta: { ...(await traceMeta()) }, ...answered };
  const options = {
    signal: open.signal,
    timeout: NO_LIMIT_MS,
    maxTotalTimeout: client.getProtocolEra() === "modern" ? most : NO_LIMIT_MS,
    onprogress: (progress: Progress) => {
      open.hear(progress as never);
      show(progress);
    },
  };
  // What comes back is looked at field by field; the types of the client know nothing of answers to questions, nor of tasks.
  if (wantsTask(client, tool)) {
    const { max_task_ms: ttl = DEFAULTS.max_task_ms } = connection.settings;
    const request = { method: "tools/call", params: { ...params, task: { ttl } } } as const;
    return (await client.request(request, ANYTHING, options)) as unknown as Answer;
  }
  // Without its output schema, which is checked here: a question does not fit it.
  const given = { ...options, allowInputRequired: true, toolDefinition: definition as never };
  return (await client.callTool(params as never, given)) as unknown as Answer;
}

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Shows progress no more often than a reader can see. */
function throttle(context: ToolContext): (progress: Progress) => void {
  let shownAt = 0;
  let shown = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }) => {
    const part = total === undefined || total === 0 ? progress : progress / total;
    const isLast = total !== undefined && progress >= total;
    if (!isLast && (Date.now() - shownAt < PROGRESS_MS || part - shown < PROGRESS_PART)) return;
    shownAt = Date.now();
    shown = part;
    context.progress({ progress, ...(total !== undefined && { total }), ...(message !== undefined && { message }) });
  };
}

async function finishResult(call: ConnectionCall, answer: GivenResult): Promise<MarkedResult> {
  const { connection, id, tool } = call;
  const origin: ResultOrigin = { id, server: connection.server, tool, settings: connection.settings };
  const result = readCallResult(answer, origin);
  const ui = await readUi(call, origin);
  return toolResult({ ...result, metadata: { ...result.metadata, ...ui } });
}

const MAX_UI_BYTES = 262_144;

/** The page that shows a result, when the tool has one. What fails here does not fail the call. */
async function readUi({ connection, tool }: ConnectionCall, _: ResultOrigin): Promise<Record<string, Json>> {
  const ui = tool._meta?.ui as { readonly resourceUri?: unknown } | undefined;
  const uri = ui?.resourceUri ?? tool._meta?.["ui/resourceUri"];
  if (typeof uri !== "string" || !uri.startsWith("ui://")) return {};
  try {
    const { connect_timeout_ms: timeout = DEFAULTS.connect_timeout_ms } = connection.settings;
    const client = await connection.client();
    const [page] = (await client.readResource({ uri }, { timeout })).contents;
    const content = page !== undefined && "text" in page ? page.text : undefined;
    if (typeof content !== "string" || content.length > MAX_UI_BYTES) return { "mcp.ui.resourceUri": uri };
    return { "mcp.ui.resourceUri": uri, "mcp.ui.content": content, "mcp.ui.mimeType": page?.mimeType ?? "text/html" };
  } catch {
    return { "mcp.ui.resourceUri": uri };
  }
}

/** Suspends a call, and keeps what it waits for with it. */
function suspend(context: ToolContext, server: string, waiting: Waiting, problem?: string): MarkedEffect {
  const { requests, question } = waiting as {
    requests?: Extract<Waiting, { kind: "input" }>["requests"];
    question?: Question;
  };
  const questions = requests !== undefined ? questionsOf(requests) : new Map(question && [["answer", question]]);
  const kept = changeState(mcpWaiting.set(waiting), context.identity.callId);
  return toolEffect(suspendWith(server, questions, problem), [kept]);
}

/** Only a person can find out whether a call took effect. */
function askWhatHappened({ connection, id, tool, context, input }: ConnectionCall, why: string): MarkedEffect {
  const message = `${why} Whether ${id} took effect is unknown. Supply its result if it did, approve to run it again, or deny to count it as failed.`;
  const question = suspendTool({
    action: "unknown_outcome",
    message,
    parameters: {
      tool_name: id,
      tool_args: input,
      ...originMetadata({ id, server: connection.server, tool, settings: connection.settings }),
    },
    resumeMode: "replay_tool_call",
    again: true,
  });
  return toolEffect(question, [changeState(mcpWaiting.set({ kind: "nothing" }), context.identity.callId)]);
}

/**
 * How far a failed call got.
 * - `answered`: the server refused it. · `silent`: it took too long. · `unsent`: it never arrived. · `lost`: unknown.
 */
type Loss = "answered" | "silent" | "unsent" | "lost";

async function judge(error: unknown): Promise<Loss> {
  const sdk = await loadClient();
  if (error instanceof Silence) return "silent";
  if (error instanceof sdk.ProtocolError) return "answered";
  if (error instanceof sdk.SdkHttpError) return error.status === 404 ? "unsent" : "answered";
  if (error instanceof sdk.UnauthorizedError) return "answered";
  if (error instanceof sdk.SdkError) {
    if (error.code === sdk.SdkErrorCode.RequestTimeout) return "silent";
    if (error.code === sdk.SdkErrorCode.ConnectionClosed) return "lost";
    if (error.code === sdk.SdkErrorCode.NotConnected || error.code === sdk.SdkErrorCode.SendFailed) return "unsent";
    return "answered";
  }
  return isUnreachable(error) ? "unsent" : "lost";
}

const UNREACHABLE: readonly unknown[] = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ADDRESS_REFUSED", "EPIPE"];

function isUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code } = error as Error & { readonly code?: unknown };
  return UNREACHABLE.includes(code) || isUnreachable(error.cause);
}
