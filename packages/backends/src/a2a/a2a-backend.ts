import {
  type AgentSpec,
  type BackendDecision,
  type BackendOutcome,
  type BackendRun,
  type ContentPart,
  type EndedBackendRun,
  type ExecutionBackend,
  type Message,
  parseDataUrl,
  type RemoteEndpoint,
  RepriseError,
  textOf,
} from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import type { A2aMessage, A2aPart } from "@reprise/protocols/a2a";
import { FollowedTask } from "./followed-task.ts";
import { type RemoteAgent, RemoteConnection, RemoteError } from "./remote-agent.ts";

export interface A2aBackendOptions {
  /** How long a card counts; 5 minutes unless given. */
  readonly cardTtlMs?: number;
  /** How often a connection that breaks is opened again before the run fails; 10 unless given. */
  readonly maxReconnects?: number;
}

/** The ids that the other service gave, kept so that any process finds the task again. */
interface TaskNote {
  readonly task_id?: string;
  readonly context_id?: string;
}

const CARD_TTL_MS = 300_000;
const MAX_RECONNECTS = 10;
const POLL_MS = 1_000;
const SHORTEST_POLL_MS = 100;

/**
 * Runs agents that speak A2A in another service: `endpoint: "https://agents.example.com/v1/a2a"`. Its task is this run, its context
 * this thread, and its requests for input are decisions here. Updates come by a stream; a service without one is asked regularly.
 */
export function a2aBackend({
  cardTtlMs = CARD_TTL_MS,
  maxReconnects = MAX_RECONNECTS,
}: A2aBackendOptions = {}): ExecutionBackend {
  const cards = new Map<string, { readonly agent: RemoteAgent; readonly until: number }>();
  const open = async (spec: AgentSpec, { egress }: EndedBackendRun, signal?: AbortSignal): Promise<Opened> => {
    const endpoint = endpointOf(spec);
    if (egress === undefined)
      throw new RepriseError("BACKEND_FAILED", "This platform has no way to reach other services.");
    const connection = new RemoteConnection(endpoint, egress, signal);
    const key = JSON.stringify([endpoint.url, endpoint.remote_agent_id]);
    const known = cards.get(key);
    if (known !== undefined && known.until > Date.now()) return { connection, agent: known.agent, endpoint };
    const agent = await connection.discover();
    cards.set(key, { agent, until: Date.now() + cardTtlMs });
    return { connection, agent, endpoint };
  };
  return {
    id: "a2a",
    check: findProblem,
    async run(spec, run) {
      const opened = await open(spec, run, run.signal);
      return new TaskRun(opened, run, maxReconnects).work();
    },
    async cancel(spec, run) {
      const { task_id } = await loadNote(run, "run");
      if (task_id === undefined) return;
      const { connection, agent } = await open(spec, run);
      try {
        await connection.cancel(agent, task_id);
      } catch (error) {
        // It was over before.
        const isOver = error instanceof RemoteError && OVER.includes(error.reason ?? "");
        if (!isOver) throw error;
      }
    },
  };
}

const OVER: readonly string[] = ["TASK_NOT_CANCELABLE", "TASK_NOT_FOUND"];

interface Opened {
  readonly connection: RemoteConnection;
  readonly agent: RemoteAgent;
  readonly endpoint: RemoteEndpoint;
}

function findProblem({ endpoint }: AgentSpec): string | undefined {
  const url = endpoint?.url ?? "";
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)
    ? undefined
    : "its url must begin with https: or http:";
}

function endpointOf({ id, endpoint }: AgentSpec): RemoteEndpoint {
  if (endpoint === undefined) throw new RepriseError("BACKEND_FAILED", `Agent ${id} has no endpoint.`);
  return endpoint;
}

async function loadNote({ notes }: EndedBackendRun, of: "run" | "thread"): Promise<TaskNote> {
  const note = await notes.load(of);
  // Only this backend writes notes of its agents.
  return isPlainObject(note) ? (note as TaskNote) : {};
}

/** One activation of a run: sends what there is to say, and follows the task until it needs input or is over. */
class TaskRun {
  readonly #opened: Opened;
  readonly #run: BackendRun;
  readonly #maxReconnects: number;
  readonly #task: FollowedTask;
  #note: TaskNote = {};

  constructor(opened: Opened, run: BackendRun, maxReconnects: number) {
    this.#opened = opened;
    this.#run = run;
    this.#maxReconnects = maxReconnects;
    const answered = run.decisions.map(({ questionId: id, parameters }) => ({ id, parameters }));
    this.#task = new FollowedTask(run, answered);
  }

  async work(): Promise<BackendOutcome> {
    this.#note = await loadNote(this.#run, "run");
    const message = await this.#nextMessage();
    if (message === "cancel") {
      const { task_id = "" } = this.#note;
      await this.#opened.connection.cancel(this.#opened.agent, task_id);
      return { termination: { type: "cancelled", detail: "The question of the remote agent was denied." }, text: "" };
    }
    const sent = message === undefined ? undefined : await this.#follow(() => this.#send(message), message.messageId);
    return sent ?? this.#rejoin();
  }

  /** The next message to the agent. Undefined when an earlier process has sent it and nothing was decided since. */
  async #nextMessage(): Promise<A2aMessage | "cancel" | undefined> {
    const { runId, messages, decisions, notes: _ } = this.#run;
    const { task_id } = this.#note;
    if (task_id !== undefined && decisions.length === 0) return undefined;
    if (task_id === undefined) {
      const { context_id } = await loadNote(this.#run, "thread");
      return {
        messageId: runId,
        role: "ROLE_USER",
        parts: await newParts(messages, this.#run.load),
        ...(context_id !== undefined && { contextId: context_id }),
      };
    }
    const isDenied = decisions.some(({ action, parameters }) => action === "cancel" && !isDescribed(parameters));
    if (isDenied) return "cancel";
    const messageId = decisions.map(({ decisionId }) => decisionId).join("+");
    return { messageId, taskId: task_id, role: "ROLE_USER", parts: decisions.map(encodeDecision) };
  }

  async *#send(message: A2aMessage) {
    const { connection, agent } = this.#opened;
    yield* connection.send(agent, message, `${this.#run.runId}:${message.messageId}`.slice(0, 200));
  }

  /** Takes updates until the task needs input or is over. Undefined when they end before, or the connection breaks. */
  async #follow(
    open: () => AsyncGenerator<Parameters<FollowedTask["take"]>[0], void>,
    sent?: string,
  ): Promise<BackendOutcome | undefined> {
    try {
      for await (const item of open()) {
        this.#task.take(item);
        await this.#keepIds();
        const { outcome } = this.#task;
        if (outcome !== undefined) return outcome;
      }
      return undefined;
    } catch (error) {
      this.#run.signal.throwIfAborted();
      // An answer is an answer. Anything else is a connection that broke; without a task there is nothing to come back to.
      if (error instanceof RemoteError && error.status < 500 && !this.#canIgnore(error, sent)) throw error;
      if (this.#note.task_id === undefined) throw error;
      return undefined;
    }
  }

  /** A message that came again, because the process that sent it died: its question is answered, or the task is over by now. */
  #canIgnore({ reason }: RemoteError, sent: string | undefined): boolean {
    return sent === undefined ? reason === "UNSUPPORTED_OPERATION" : this.#run.decisions.length > 0;
  }

  /** Comes back to a task: by a stream where the agent has one, and by asking regularly otherwise. */
  async #rejoin(): Promise<BackendOutcome> {
    const { connection, agent, endpoint } = this.#opened;
    const { signal } = this.#run;
    const pause = Math.max(endpoint.poll_interval_ms ?? POLL_MS, SHORTEST_POLL_MS);
    for (let failures = 0; ; ) {
      const { task_id: id = "" } = this.#note;
      try {
        this.#task.take({ task: await connection.get(agent, id) });
        failures = 0;
      } catch (error) {
        signal.throwIfAborted();
        failures += 1;
        const isAnswer = error instanceof RemoteError && error.status < 500;
        if (isAnswer || failures > this.#maxReconnects) throw error;
      }
      const { outcome } = this.#task;
      if (outcome !== undefined) return outcome;
      const followed = agent.canStream ? await this.#follow(() => connection.subscribe(agent, id)) : undefined;
      if (followed !== undefined) return followed;
      await sleep(pause, signal);
    }
  }

  async #keepIds(): Promise<void> {
    const { id, contextId } = this.#task;
    if (id === undefined || id === this.#note.task_id) return;
    this.#note = { task_id: id, ...(contextId !== undefined && { context_id: contextId }) };
    await this.#run.notes.save("run", { ...this.#note });
    if (contextId !== undefined) await this.#run.notes.save("thread", { context_id: contextId });
  }
}

/** What was said since the agent last answered. It has the rest in its own context. Files that only this runtime can read go as bytes. */
async function newParts(messages: readonly Message[], load: BackendRun["load"]): Promise<readonly A2aPart[]> {
  const last = messages.findLastIndex(({ role }) => role === "assistant");
  const said = messages.slice(last + 1).filter(({ role }) => role === "user");
  const contents = said.flatMap(({ content }): readonly ContentPart[] =>
    typeof content === "string" ? [{ type: "text", text: content }] : content,
  );
  const parts = (await Promise.all(contents.map((part) => encodePart(part, load)))).flat();
  return parts.length === 0 ? [{ text: said.map(textOf).join("\n") }] : parts;
}

async function encodePart(part: ContentPart, load: BackendRun["load"]): Promise<readonly A2aPart[]> {
  if (part.type === "text") return [{ text: part.text }];
  if (part.type === "reasoning") return [];
  const { url, media_type, filename } = part;
  const named = {
    ...(media_type !== undefined && { mediaType: media_type }),
    ...(filename !== undefined && { filename }),
  };
  if (/^https?:/.test(url)) return [{ url, ...named }];
  const { body, isBase64 } = parseDataUrl(url) ?? {};
  if (body !== undefined && isBase64 === true) return [{ raw: body, ...named }];
  const { content } = await load(url);
  return [{ raw: Buffer.from(content).toString("base64"), ...named }];
}

function isDescribed(parameters: BackendDecision["parameters"]): boolean {
  return isPlainObject(parameters) && parameters.described === true;
}

/** A decision in the words of the agent: data for one that describes its questions, and text for any other. */
function encodeDecision({ questionId, decisionId, parameters, ...decision }: BackendDecision): A2aPart {
  if (!isDescribed(parameters)) {
    const { result = decision.reason ?? "approved" } = decision;
    return typeof result === "string" ? { text: result } : { data: result };
  }
  const { action, arguments: edited, result, reason } = decision;
  const { binding_hash, suspension } = parameters as { readonly [key: string]: string & number };
  return {
    data: {
      decision: {
        target_id: questionId,
        decision_id: decisionId,
        action,
        ...(suspension !== undefined && { suspension }),
        ...(binding_hash !== undefined && { binding_hash }),
        ...(edited !== undefined && { arguments: edited }),
        ...(result !== undefined && { result }),
        ...(reason !== undefined && { reason }),
      },
    },
    mediaType: "application/json",
  };
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const stop = (): void => {
    clearTimeout(timer);
    reject(signal.reason);
  };
  const timer = setTimeout(() => {
    signal.removeEventListener("abort", stop);
    resolve();
  }, ms);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  return promise;
}
