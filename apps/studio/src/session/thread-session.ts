import type { AgentEvent } from "@reprise/contracts";
import { ask, randomId } from "../api/connection.ts";
import { followRun, loadEvents } from "../api/follow-run.ts";
import { Observable } from "../api/observable.ts";
import { cancelRun, loadMessages, loadQueued, loadRuns, loadVersions } from "../api/requests.ts";
import type { MailboxEntry, Message, Run, Version } from "../api/types.ts";
import { type Block, fieldsOf, type RunView, type ShownCall, type ShownFile } from "../log/block.ts";
import { foldMessages } from "../log/fold-messages.ts";
import { RunFold } from "../log/fold-run.ts";

/** A message that waits for its turn. */
export interface QueuedMessage {
  readonly runId: string;
  readonly agentId: string;
  readonly text: string;
}

/** What is known of a thread now. */
export interface ThreadSnapshot {
  readonly phase: "new" | "loading" | "ready" | "failed";
  readonly error?: unknown;
  readonly threadId?: string;
  readonly views: readonly RunView[];
  readonly versions: readonly Version[];
  readonly queued: readonly QueuedMessage[];
  /** Whether an answer is under way. A run that waits for its model or for runs below continues by itself. */
  readonly isBusy: boolean;
  readonly questions: readonly ShownCall[];
  /** The events of the runs that are followed, from their start. */
  readonly logs: ReadonlyMap<string, readonly AgentEvent[]>;
}

/** How a person decides about a call. */
export type Verb =
  | { readonly action: "approve"; readonly reason?: string; readonly remember?: "thread" | "always" }
  | { readonly action: "deny"; readonly reason?: string; readonly remember?: "thread" | "always" }
  | { readonly action: "edit"; readonly arguments: unknown; readonly reason?: string }
  | { readonly action: "supply"; readonly result: unknown; readonly reason?: string };

/** What a person says. */
export interface Said {
  readonly agentId: string | Promise<string>;
  readonly text: string;
  readonly files?: readonly ShownFile[];
  /** What becomes of an open question: withdrawn, or answered first. */
  readonly policy?: "continue" | "enqueue";
}

/** A run of the conversation: as it is stored, or as its events tell it. */
type Entry =
  | { readonly kind: "stored"; readonly view: RunView }
  | {
      readonly kind: "followed";
      readonly runId: string;
      readonly agentId: string;
      readonly said: readonly Block[];
      readonly fold: RunFold;
      readonly events: AgentEvent[];
      last: string | undefined;
    };
type Followed = Extract<Entry, { kind: "followed" }>;

const EMPTY: ThreadSnapshot = {
  phase: "new",
  views: [],
  versions: [],
  queued: [],
  isBusy: false,
  questions: [],
  logs: new Map(),
};

/** The tool that shows surfaces. */
const SURFACE_TOOL = "render_a2ui";

/** After these there is a new version. */
const COMMITTED: ReadonlySet<string> = new Set([
  "run_start",
  "step_end",
  "tool_call_done",
  "tool_call_resumed",
  "run_finish",
  "state_delta",
]);

/**
 * One thread that is open on the page: what is stored of it, the run that is followed live, and the messages queued behind it. It
 * reads on after every lost connection, so a page shows what the server has.
 */
export class ThreadSession {
  readonly snapshot: Observable<ThreadSnapshot>;
  #threadId: string | undefined;
  #entries: Entry[] = [];
  #versions: readonly Version[] = [];
  #queued: readonly QueuedMessage[] = [];
  #phase: ThreadSnapshot["phase"];
  #error: unknown;
  /** Set while events are read. */
  #reading: AbortController | undefined;
  #closed = new AbortController();
  #frame: ReturnType<typeof setTimeout> | undefined;
  #refreshing: ReturnType<typeof setTimeout> | undefined;
  #sending = 0;
  /** Messages are sent one after the other: the first makes the thread that the next one is for. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Called with the id once the first message made the thread, and whenever the list of threads has something new. */
  onStored: (threadId: string) => void = () => undefined;

  constructor(threadId?: string) {
    this.#threadId = threadId;
    this.#phase = threadId === undefined ? "new" : "loading";
    this.snapshot = new Observable<ThreadSnapshot>({
      ...EMPTY,
      phase: this.#phase,
      ...(threadId !== undefined && { threadId }),
    });
    if (threadId !== undefined) void this.load();
  }

  get threadId(): string | undefined {
    return this.#threadId;
  }

  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  /** Reads the thread anew and follows the run that is open on it. */
  async load(started?: { readonly runId: string; readonly response: Response }): Promise<void> {
    const id = this.#threadId;
    if (id === undefined) return;
    const { signal } = this.#closed;
    try {
      const [messages, runs, versions, queued] = await Promise.all([
        loadMessages(id, signal),
        loadRuns(id, signal),
        // A thread whose history was pruned still has its messages.
        loadVersions(id, 0, signal).catch(() => []),
        loadQueued(id, signal),
      ]);
      this.#reading?.abort();
      this.#reading = undefined;
      this.#versions = versions;
      this.#entries = foldMessages({ messages, runs, versions }).map((view) => ({ kind: "stored", view }));
      this.#queued = queued.flatMap(readQueued);
      this.#phase = "ready";
      this.#error = undefined;
      const open = runs.find(({ status }) => status === "running" || status === "waiting");
      if (open !== undefined) {
        const entry = this.#takeUp(open.run_id, open.agent_id ?? "");
        void this.#follow(entry, open.run_id === started?.runId ? started.response : undefined);
      }
      this.#show();
      void this.#loadTold(runs, messages, open?.run_id);
      this.#takeNext();
    } catch (error) {
      if (signal.aborted) return;
      this.#phase = "failed";
      this.#error = error;
      this.#show();
    }
  }

  /** Sends a message on this thread or on a new one. While a run is under way the message is queued behind it. */
  say(said: Said): Promise<void> {
    this.#sending += 1;
    this.#show();
    const sent = this.#turn.then(() => {
      if (this.isClosed) throw new Error("The thread was left before the message was sent.");
      return this.#send(said);
    });
    this.#turn = sent
      .catch(() => undefined)
      .finally(() => {
        this.#sending -= 1;
        this.#show();
      });
    return sent;
  }

  async #send({ agentId: wanted, text, files = [], policy = "continue" }: Said): Promise<void> {
    const agentId = await wanted;
    const { questions } = this.snapshot.value;
    const isOpen = this.#open !== undefined;
    const isWithdrawing = policy === "continue" && questions.length > 0;
    const isQueued = this.#queued.length > 0 || (isOpen && (policy === "enqueue" || questions.length === 0));
    const key = `sent-${randomId()}`;
    const said: Block = { key, kind: "user", text, files, messageId: "" };
    const shown: Entry = { kind: "stored", view: { runId: key, agentId, status: "working", blocks: [said] } };
    this.#entries = [...this.#entries, shown];
    this.#show();
    const remove = (): void => {
      this.#entries = this.#entries.filter((entry) => entry !== shown);
    };
    try {
      // The messages before this one are sent first, and none is before the run has ended.
      if (isWithdrawing && isQueued) await this.#cancel();
      const messages = [{ role: "user", content: contentOf(text, files) }];
      const { runId, response } = await this.#start({
        agentId,
        messages,
        busyPolicy: isQueued ? "enqueue" : "continue",
      });
      remove();
      if (this.isClosed) return;
      if (isQueued) {
        // Its events are read when its turn has come.
        void response.body?.cancel();
        this.#queued = [...this.#queued, { runId, agentId, text }];
        this.#takeNext();
      } else {
        this.#endQuestions();
        void this.#follow(this.#append(runId, agentId, [said]), response);
      }
    } catch (error) {
      remove();
      throw error;
    } finally {
      this.#show();
    }
  }

  async #start(body: object): Promise<{ readonly runId: string; readonly response: Response }> {
    const thread = this.#threadId === undefined ? {} : { threadId: this.#threadId };
    const response = await ask("v1/runs?children=events", { json: { ...body, ...thread } });
    const threadId = decodeURIComponent(response.headers.get("x-reprise-thread-id") ?? "");
    this.#threadId = threadId;
    this.#phase = "ready";
    this.onStored(threadId);
    return { runId: decodeURIComponent(response.headers.get("x-reprise-run-id") ?? ""), response };
  }

  /** Decides about exactly the question that was shown. */
  async decide(call: ShownCall, verb: Verb): Promise<void> {
    const { question } = call;
    if (question === undefined) return;
    const { binding_hash, suspension } = question;
    const body = { ...verb, binding_hash, suspension, decision_id: randomId() };
    await ask(`v1/decisions/${encodeURIComponent(call.id)}`, { json: body });
    this.resume();
  }

  /** Answers the message of a run anew: the thread goes back to right behind the message. */
  async retry(runId: string, agentId: string): Promise<void> {
    await this.#restart({ agentId, messages: [], restore: { run_id: runId, keep_input: true } });
  }

  /** Takes a message and everything after it back, and says something else instead. */
  async edit(runId: string, agentId: string, { text, files = [] }: Pick<Said, "text" | "files">): Promise<void> {
    const messages = [{ role: "user", content: contentOf(text, files) }];
    await this.#restart({ agentId, messages, restore: { run_id: runId } });
  }

  async #restart(body: object): Promise<void> {
    const started = await this.#start(body);
    await this.load(started);
  }

  /** Asks the open run to end. */
  async stop(): Promise<void> {
    await this.#turn;
    await this.#cancel();
  }

  async #cancel(): Promise<void> {
    const open = this.#open;
    if (open !== undefined) await cancelRun(open.runId);
  }

  /** Takes a message back that was not sent yet. */
  async dequeue(runId: string): Promise<void> {
    await cancelRun(runId);
    this.#queued = this.#queued.filter((each) => each.runId !== runId);
    this.#show();
  }

  /** A page in the background holds no connection for a run that waits: browsers have only a few for each server. */
  pause(): void {
    if (this.snapshot.value.isBusy) return;
    this.#reading?.abort();
    this.#reading = undefined;
  }

  /** Looks again at a run that waits. */
  resume(): void {
    const open = this.#open;
    if (open !== undefined && this.#reading === undefined) void this.#follow(open);
  }

  /** Somebody else started a run on the thread. */
  notice(runId: string): void {
    const isKnown =
      this.#entries.some((entry) => (entry.kind === "stored" ? entry.view.runId : entry.runId) === runId) ||
      this.#queued.some((each) => each.runId === runId);
    if (!isKnown && this.#sending === 0 && this.#phase === "ready" && this.#open === undefined) void this.load();
  }

  close(): void {
    this.#closed.abort();
    this.#reading?.abort();
    clearTimeout(this.#frame);
    clearTimeout(this.#refreshing);
  }

  /** The run that is not over. */
  get #open(): Followed | undefined {
    const entry = this.#entries.findLast((each) => each.kind === "followed");
    return entry?.kind === "followed" && !isOver(entry.fold) ? entry : undefined;
  }

  #append(runId: string, agentId: string, said: readonly Block[]): Followed {
    const entry: Followed = {
      kind: "followed",
      runId,
      agentId,
      said,
      fold: new RunFold(runId),
      events: [],
      last: undefined,
    };
    this.#entries = [...this.#entries, entry];
    return entry;
  }

  /** Shows a stored run by its events from now on, except for what was said to it. */
  #takeUp(runId: string, agentId: string): Followed {
    const at = this.#entries.findIndex((entry) => entry.kind === "stored" && entry.view.runId === runId);
    const stored = this.#entries[at];
    if (stored?.kind !== "stored") return this.#append(runId, agentId, []);
    const said = stored.view.blocks.filter(({ kind }) => kind === "user");
    const entry: Followed = {
      kind: "followed",
      runId,
      agentId,
      said,
      fold: new RunFold(runId),
      events: [],
      last: undefined,
    };
    this.#entries = this.#entries.with(at, entry);
    return entry;
  }

  /** Runs that had other agents work, or showed surfaces, are shown by their events: messages do not tell of these. */
  async #loadTold(runs: readonly Run[], messages: readonly Message[], except: string | undefined): Promise<void> {
    const showing = new Set(
      messages.flatMap(({ tool_calls = [], metadata }) =>
        tool_calls.some(({ name }) => name === SURFACE_TOOL) ? [fieldsOf(metadata).run_id] : [],
      ),
    );
    for (const { run_id, agent_id, has_children } of runs) {
      const isTold = has_children === true || showing.has(run_id);
      if (!isTold || run_id === except || this.isClosed) continue;
      const frames = await loadEvents(run_id, this.#closed.signal).catch(() => []);
      if (frames.length === 0) continue;
      const entry = this.#takeUp(run_id, agent_id ?? "");
      for (const { event } of frames) {
        entry.fold.add(event);
        entry.events.push(event);
      }
      this.#show();
    }
  }

  /** Shows a run's events until it is over. */
  async #follow(entry: Followed, first?: Response): Promise<void> {
    this.#reading?.abort();
    const control = new AbortController();
    this.#reading = control;
    const { signal } = control;
    try {
      const from = { ...(first !== undefined && { first }), ...(entry.last !== undefined && { after: entry.last }) };
      for await (const frames of followRun(entry.runId, { signal, ...from })) {
        if (this.#reading !== control || this.isClosed) return;
        for (const { id, event } of frames) {
          if (id !== undefined) entry.last = id;
          entry.fold.add(event);
          entry.events.push(event);
          if (COMMITTED.has(event.type)) this.#refreshVersions();
          // Runs below end on threads of their own.
          if (event.type === "run_finish" && event.thread_id === this.#threadId) this.onStored(event.thread_id);
        }
        if (entry.fold.isWithdrawn) return this.#readAnew(entry);
        this.#showSoon();
      }
    } catch (error) {
      if (signal.aborted) return;
      this.#error = error;
    } finally {
      if (this.#reading === control) {
        this.#reading = undefined;
        if (!this.isClosed) {
          this.#show();
          this.#takeNext();
        }
      }
    }
  }

  /** Some of what was shown was withdrawn: the run is shown again from its beginning. */
  #readAnew(entry: Followed): void {
    const fresh: Followed = { ...entry, fold: new RunFold(entry.runId), events: [], last: undefined };
    this.#entries = this.#entries.map((each) => (each === entry ? fresh : each));
    void this.#follow(fresh);
  }

  /** A message withdrew the questions of the run before it. */
  #endQuestions(): void {
    const open = this.#open;
    if (open === undefined || open.fold.questions.length === 0) return;
    const end = { type: "stopped", value: { code: "superseded" } } as const;
    const { runId: run_id } = open;
    open.fold.add({
      type: "run_finish",
      run_id,
      thread_id: this.#threadId ?? "",
      timestamp_ms: Date.now(),
      data: { termination: end },
    });
  }

  /** Shows the next queued message as sent, once the run before it is over. */
  #takeNext(): void {
    if (this.#open !== undefined || this.isClosed) return;
    const [next, ...rest] = this.#queued;
    if (next === undefined) return;
    this.#queued = rest;
    const said: Block = { key: `${next.runId}-said`, kind: "user", text: next.text, files: [], messageId: "" };
    void this.#follow(this.#append(next.runId, next.agentId, [said]));
    this.#show();
  }

  /** The versions since the last one, shortly: several commits may come at once. */
  #refreshVersions(): void {
    clearTimeout(this.#refreshing);
    this.#refreshing = setTimeout(() => {
      const id = this.#threadId;
      if (id === undefined) return;
      loadVersions(id, this.#versions.at(-1)?.version ?? 0, this.#closed.signal)
        .then((fresh) => {
          const last = this.#versions.at(-1)?.version ?? 0;
          this.#versions = [...this.#versions, ...fresh.filter(({ version }) => version > last)];
          this.#show();
        })
        .catch(() => undefined);
    }, 120);
  }

  /** Once a frame is often enough for a stream. */
  #showSoon(): void {
    this.#frame ??= setTimeout(() => this.#show(), 16);
  }

  #show(): void {
    clearTimeout(this.#frame);
    this.#frame = undefined;
    if (this.isClosed) return;
    const open = this.#open;
    const status = open?.fold.status;
    const views = this.#entries.map((entry): RunView => {
      if (entry.kind === "stored") return entry.view;
      const { runId, agentId, said, fold } = entry;
      return { runId, agentId, status: fold.status, blocks: [...said, ...fold.blocks] };
    });
    this.snapshot.set({
      phase: this.#phase,
      ...(this.#error !== undefined && { error: this.#error }),
      ...(this.#threadId !== undefined && { threadId: this.#threadId }),
      views,
      versions: this.#versions,
      queued: this.#queued,
      isBusy: this.#sending > 0 || (status !== undefined && status !== "needs approval"),
      questions: status === "needs approval" ? (open?.fold.questions ?? []) : [],
      logs: new Map(this.#entries.flatMap((entry) => (entry.kind === "followed" ? [[entry.runId, entry.events]] : []))),
    });
  }
}

function isOver({ status }: RunFold): boolean {
  return status === "done" || status === "failed" || status === "cancelled";
}

function contentOf(text: string, files: readonly ShownFile[]): string | readonly object[] {
  if (files.length === 0) return text;
  const parts = files.map(({ url, mediaType, name }) => ({
    type: mediaType.startsWith("image/") ? "image" : "file",
    url,
    media_type: mediaType,
    filename: name,
  }));
  return [...(text === "" ? [] : [{ type: "text", text }]), ...parts];
}

function readQueued({ run_id, agent_id, request }: MailboxEntry): readonly QueuedMessage[] {
  const { messages } = fieldsOf(request);
  if (!Array.isArray(messages) || messages.length === 0) return [];
  const texts = messages.map((message) => {
    const { content } = fieldsOf(message);
    if (typeof content === "string") return content;
    return Array.isArray(content) ? content.map((part) => String(fieldsOf(part).text ?? "")).join("") : "";
  });
  return [{ runId: run_id, agentId: agent_id, text: texts.join("\n") }];
}
