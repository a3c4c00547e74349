import { type ContentPart, MAX_LIMIT, type Message, parseDataUrl, type ToolCallRecord } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import {
  ACP_TOOL_KINDS,
  ACP_VERSION,
  type AcpContent,
  type AcpEncodingOptions,
  type AcpUpdate,
  createRpcPeer,
  decodePrompt,
  encodeAcpHistory,
  INITIAL_ACP_STATE,
  INITIALIZE,
  type InitializeParams,
  type KindOf,
  LIST_SESSIONS,
  NAMED_SESSION,
  NEW_SESSION,
  OLD_SESSION,
  PROMPT,
  RPC_ERRORS,
  RpcError,
  type RpcPeer,
  type RpcRequest,
  readParams,
  SET_CONFIG,
  SET_MODE,
  type SessionFolders,
  titleOf,
} from "@reprise/protocols/acp";
import type { AgentInfo, RunHandle, TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { findRunUnderWay } from "../ai-sdk/find-run-under-way.ts";
import { choose, chooseMode, configOptions, describeChoices } from "./session-config.ts";
import { pageOf, type SessionRecord, SessionRecords } from "./session-records.ts";
import { Turn, type TurnEnd } from "./turn.ts";

export interface AcpOptions {
  readonly runtime: TenantRuntime;
  /** Sends one line to the client. A promise is back-pressure. */
  write(line: string): void | Promise<void>;
  /** The agent of new sessions: `default`, or the first one, unless given. */
  readonly agent?: string;
  /** Shown to the client. */
  readonly version: string;
  /** Hears of requests that are served only in part. */
  warn?(text: string): void;
}

/** One client that is connected. */
export interface AcpConnection {
  /** Takes in one line of the client. */
  receive(line: string): void;
  /** The client is gone. Its runs continue or wait without it. */
  close(): void;
}

/** A session that the client has open. */
interface OpenSession {
  /** The run that is shown: of a prompt, or one that was at work when the session was loaded. */
  turn?: Turn;
  /** The answer to a prompt is pending. */
  isPrompted: boolean;
  /** The client cancelled before the run began. */
  isCancelled: boolean;
  /** A question that the next prompt answers. */
  asked?: Extract<TurnEnd, { type: "asked" }>;
  /** Settles when the shown run is no longer shown. */
  shown?: Promise<unknown>;
}

/** Speaks ACP with one client, line by line: sessions are threads, prompts are runs, permission requests are approvals. */
export function connectAcp(options: AcpOptions): AcpConnection {
  const connection = new Connection(options);
  return { receive: (line) => connection.peer.receive(line), close: () => connection.close() };
}

class Connection {
  readonly peer: RpcPeer;
  readonly #options: AcpOptions;
  readonly #runtime: TenantRuntime;
  readonly #records: SessionRecords;
  readonly #sessions = new Map<string, OpenSession>();
  #client: InitializeParams | undefined;

  constructor(options: AcpOptions) {
    this.#options = options;
    this.#runtime = options.runtime;
    this.#records = new SessionRecords(options.runtime);
    this.peer = createRpcPeer({
      write: (line) => options.write(line),
      admit: (method) => {
        if (this.#client === undefined && method !== "initialize")
          throw new RpcError(RPC_ERRORS.invalidRequest, "The first request must be initialize.");
      },
      requests: {
        initialize: async ({ params }) => this.#initialize(params),
        authenticate: async () => {
          throw new RpcError(RPC_ERRORS.invalidParams, "This agent needs no authentication: authMethods is empty.");
        },
        "session/new": (request) => this.#create(request),
        "session/load": (request) => this.#open(request, true),
        "session/resume": (request) => this.#open(request, false),
        "session/list": ({ params }) => this.#list(params),
        "session/close": ({ params }) => this.#close(params),
        "session/delete": ({ params }) => this.#delete(params),
        "session/set_mode": ({ params }) => this.#setMode(params),
        "session/set_config_option": ({ params }) => this.#setConfig(params),
        "session/prompt": (request) => this.#prompt(request),
      },
      notifications: {
        "session/cancel": (params) => {
          const session = this.#sessions.get(readParams(NAMED_SESSION, params).sessionId);
          if (session !== undefined) void cancel(session).catch((error) => this.#warn(error));
        },
      },
    });
  }

  close(): void {
    const gone = new RpcError(RPC_ERRORS.internal, "The client is gone.");
    this.peer.close(gone.message);
    for (const { turn } of this.#sessions.values()) turn?.leave(gone);
    this.#sessions.clear();
  }

  #initialize(params: Json): Json {
    this.#client = readParams(INITIALIZE, params);
    return {
      protocolVersion: ACP_VERSION,
      agentInfo: { name: "reprise", title: "Reprise", version: this.#options.version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
      },
      authMethods: [],
    };
  }

  async #create({ params, answered }: RpcRequest): Promise<Json> {
    const folders = readParams(NEW_SESSION, params);
    const sessionId = crypto.randomUUID();
    const record = await this.#records.save(sessionId, { ...folderFields(folders), agent: this.#defaultAgent() });
    this.#sessions.set(sessionId, { isPrompted: false, isCancelled: false });
    this.#tellAboutServers(sessionId, folders, answered);
    return { sessionId, ...describeChoices(record, this.#runtime.agents()) };
  }

  /** Opens a session of this or another process, with its history shown or not. A run that is open continues to be shown. */
  async #open({ params, answered }: RpcRequest, isShown: boolean): Promise<Json> {
    const { sessionId, ...folders } = readParams(OLD_SESSION, params);
    const fields = { ...folderFields(folders), agent: this.#defaultAgent() };
    const stored = await this.#records.load(sessionId, { ...fields, updated_at: 0 });
    const record = await this.#records.save(sessionId, { ...stored, ...folderFields(folders) });
    const session = this.#session(sessionId);
    if (session.isPrompted) throw busy(sessionId);
    session.turn?.leave(new Error("The session was loaded again."));
    const run = await this.#findOpenRun(record, sessionId);
    if (isShown) await this.#showHistory(sessionId, run, kindsOf(this.#agentOf(record)));
    this.#tellAboutServers(sessionId, folders, answered);
    if (run !== undefined) void answered.then(() => this.#showInBackground(session, record, sessionId, run));
    return describeChoices(record, this.#runtime.agents());
  }

  async #list(params: Json): Promise<Json> {
    const { cwd, cursor } = readParams(LIST_SESSIONS, params ?? {});
    const { items, next } = pageOf(await this.#records.list(cwd), cursor);
    const sessions = items.map(({ id, cwd: folder, title, additional_directories, updated_at }) => ({
      sessionId: id,
      cwd: folder,
      ...(additional_directories !== undefined && { additionalDirectories: additional_directories }),
      ...(title !== undefined && { title }),
      updatedAt: new Date(updated_at).toISOString(),
    }));
    return { sessions, ...(next !== undefined && { nextCursor: next }) };
  }

  async #close(params: Json): Promise<Json> {
    const { sessionId } = readParams(NAMED_SESSION, params);
    const session = this.#sessions.get(sessionId);
    if (session === undefined) await this.#records.load(sessionId);
    else await this.#end(session);
    this.#sessions.delete(sessionId);
    return {};
  }

  async #delete(params: Json): Promise<Json> {
    const { sessionId } = readParams(NAMED_SESSION, params);
    await this.#records.load(sessionId);
    const session = this.#sessions.get(sessionId);
    if (session !== undefined) await this.#end(session);
    this.#sessions.delete(sessionId);
    const { items } = await this.#runtime.runs({ threadId: sessionId, limit: 1 });
    if (items.length > 0) await this.#runtime.threads.delete(sessionId);
    await this.#records.delete(sessionId);
    return {};
  }

  async #setMode(params: Json): Promise<Json> {
    const { sessionId, modeId } = readParams(SET_MODE, params);
    const agents = this.#runtime.agents();
    const record = await this.#records.save(sessionId, chooseMode(await this.#records.load(sessionId), agents, modeId));
    const options = configOptions(record, agents);
    await this.#update(sessionId, { sessionUpdate: "config_option_update", configOptions: options });
    return {};
  }

  async #setConfig(params: Json): Promise<Json> {
    const { sessionId, configId, value } = readParams(SET_CONFIG, params);
    const agents = this.#runtime.agents();
    const before = await this.#records.load(sessionId);
    const record = await this.#records.save(sessionId, choose(before, agents, configId, value));
    if (record.agent !== before.agent)
      await this.#update(sessionId, { sessionUpdate: "current_mode_update", currentModeId: record.agent });
    // Plain JSON; its interface hides it.
    return { configOptions: configOptions(record, agents) as unknown as Json };
  }

  async #prompt({ params, signal }: RpcRequest): Promise<Json> {
    const { sessionId, prompt } = readParams(PROMPT, params);
    const record = await this.#records.load(sessionId);
    const session = this.#session(sessionId);
    if (session.isPrompted) throw busy(sessionId);
    session.isPrompted = true;
    session.isCancelled = false;
    const onAbort = (): void => {
      if (signal.reason instanceof RpcError && signal.reason.code === RPC_ERRORS.cancelled) void cancel(session);
    };
    signal.addEventListener("abort", onAbort);
    try {
      const turn = await this.#begin(session, record, sessionId, prompt);
      if (session.isCancelled) await turn.cancel();
      return await this.#finish(session, turn);
    } finally {
      signal.removeEventListener("abort", onAbort);
      session.isPrompted = false;
    }
  }

  /** The run of a prompt: a new one, or the one whose question the prompt answers. */
  async #begin(
    session: OpenSession,
    record: SessionRecord,
    sessionId: string,
    prompt: readonly AcpContent[],
  ): Promise<Turn> {
    const { asked, turn: before } = session;
    delete session.asked;
    if (asked !== undefined && before !== undefined) {
      await before.decide(asked.question, { action: "supply", result: answerOf(asked, prompt) });
      return before;
    }
    // A run that waits is superseded; one at work is shown to its end first.
    before?.stopAsking();
    await session.shown;
    const title = record.title ?? titleOf(prompt);
    await this.#records.save(sessionId, { ...record, title });
    if (record.title === undefined) await this.#update(sessionId, { sessionUpdate: "session_info_update", title });
    const spent = await this.#costOf(sessionId);
    const run = await this.#runtime.submit({
      agent_id: record.agent,
      thread_id: sessionId,
      origin: "acp",
      messages: [{ role: "user", content: await this.#keepFiles(decodePrompt(prompt)) }],
      busy_policy: "continue",
      state: { workspace: workspaceOf(record) },
      ...(record.model !== undefined && { overrides: { model: record.model } }),
    });
    return this.#turnOf(session, record, sessionId, run, spent);
  }

  async #finish(session: OpenSession, turn: Turn): Promise<Json> {
    session.turn = turn;
    const following = turn.follow();
    session.shown = following.catch(() => undefined);
    const end = await following;
    switch (end.type) {
      case "stop":
        return { stopReason: end.stopReason };
      case "asked":
        session.asked = end;
        return { stopReason: "end_turn" };
      case "failed":
        throw new RpcError(RPC_ERRORS.internal, end.message, end.code === undefined ? undefined : { code: end.code });
      default:
        return end satisfies never;
    }
  }

  /** A run that was open when its session was loaded. There is no prompt to answer, so its end is only shown. */
  #showInBackground(session: OpenSession, record: SessionRecord, sessionId: string, run: RunHandle): void {
    if (session.isPrompted) return;
    const turn = this.#turnOf(session, record, sessionId, run, 0);
    this.#finish(session, turn).catch((error: unknown) => this.#warn(error));
  }

  #turnOf(session: OpenSession, record: SessionRecord, sessionId: string, run: RunHandle, costBefore: number): Turn {
    const agent = this.#agentOf(record);
    const window = agent?.context_window;
    const turn = new Turn({
      runtime: this.#runtime,
      peer: this.peer,
      sessionId,
      run,
      state: { ...INITIAL_ACP_STATE, ...(window !== undefined && { window }) },
      encoding: { ...this.#encoding, kindOf: kindsOf(agent), costBefore },
      hasForms: capability(this.#client?.clientCapabilities?.elicitation, "form"),
    });
    session.turn = turn;
    return turn;
  }

  get #encoding(): AcpEncodingOptions {
    const shown = this.#client?.clientCapabilities?.session;
    return { notices: capability(shown, "notices"), compaction: capability(shown, "compaction") };
  }

  /** Everything that was said, but for the part of the run that is shown anew. */
  async #showHistory(sessionId: string, open: RunHandle | undefined, kindOf: KindOf): Promise<void> {
    const messages = (await this.#messagesOf(sessionId)).filter(
      ({ role, metadata }) => role === "user" || open === undefined || metadata?.run_id !== open.id,
    );
    const calls = await this.#callsOf(sessionId);
    for (const update of encodeAcpHistory({ messages, calls }, kindOf)) await this.#update(sessionId, update);
  }

  async #messagesOf(sessionId: string): Promise<readonly Message[]> {
    if ((await this.#runtime.runs({ threadId: sessionId, limit: 1 })).items.length === 0) return [];
    const messages: Message[] = [];
    for (let after: number | undefined; ; ) {
      const position = after === undefined ? {} : { after };
      const page = await this.#runtime.threads.messages(sessionId, { limit: MAX_LIMIT, ...position });
      messages.push(...page.messages);
      after = page.next_cursor;
      if (!page.has_more || after === undefined) return messages;
    }
  }

  async #callsOf(sessionId: string): Promise<readonly ToolCallRecord[]> {
    const calls: ToolCallRecord[] = [];
    for (;;) {
      const page = await this.#runtime.calls({ threadId: sessionId, offset: calls.length, limit: MAX_LIMIT });
      calls.push(...page.items);
      if (!page.has_more || page.items.length === 0) return calls;
    }
  }

  /** The run of a session that is at work or waits for a person. */
  async #findOpenRun(record: SessionRecord, sessionId: string): Promise<RunHandle | undefined> {
    const underWay = await findRunUnderWay(this.#runtime, record.agent, sessionId);
    if (underWay !== undefined) return underWay;
    const [waiting] = (await this.#runtime.runs({ threadId: sessionId, status: "waiting", limit: 1 })).items;
    return waiting === undefined ? undefined : this.#runtime.run(waiting.run_id);
  }

  async #costOf(sessionId: string): Promise<number> {
    const { items } = await this.#runtime.runs({ threadId: sessionId, limit: 1 });
    return items.length === 0 ? 0 : (await this.#runtime.costs.ofThread(sessionId)).cost_microcents;
  }

  /** Ends the work of a session, as `session/cancel` does, and waits until no process has it. */
  async #end(session: OpenSession): Promise<void> {
    const { turn } = session;
    if (turn === undefined) return;
    await cancel(session);
    await turn.run.outcome();
  }

  /** Puts files that came inside of a prompt into the blob store: a thread holds no bytes. */
  #keepFiles(parts: readonly ContentPart[]): Promise<readonly ContentPart[]> {
    return Promise.all(
      parts.map(async (part) => {
        if (part.type !== "image" && part.type !== "file") return part;
        const parsed = parseDataUrl(part.url);
        if (parsed === undefined) return part;
        const { ref } = await this.#runtime.blobs.put(readBase64(parsed.body), { media_type: parsed.mediaType });
        return { ...part, url: ref };
      }),
    );
  }

  #session(id: string): OpenSession {
    const known = this.#sessions.get(id);
    if (known !== undefined) return known;
    const session: OpenSession = { isPrompted: false, isCancelled: false };
    this.#sessions.set(id, session);
    return session;
  }

  #update(sessionId: string, update: AcpUpdate): void | Promise<void> {
    // An update is plain JSON; its interface hides it.
    return this.peer.notify("session/update", { sessionId, update: update as unknown as Json });
  }

  /** Servers that a client names are not started: which programs run here is the owner's to say, in the configuration. */
  #tellAboutServers(sessionId: string, { mcpServers = [] }: SessionFolders, answered: Promise<void>): void {
    if (mcpServers.length === 0) return;
    const title = "MCP servers of the editor are not used. Name them in the configuration of Reprise.";
    this.#options.warn?.(title);
    if (this.#encoding.notices === true)
      void answered.then(() => this.#update(sessionId, { sessionUpdate: "notice", severity: "warning", title }));
  }

  #warn(error: unknown): void {
    this.#options.warn?.(error instanceof Error ? error.message : String(error));
  }

  #agentOf({ agent }: SessionRecord): AgentInfo | undefined {
    return this.#runtime.agents().find(({ id }) => id === agent);
  }

  #defaultAgent(): string {
    const ids = this.#runtime.agents().map(({ id }) => id);
    return this.#options.agent ?? ids.find((id) => id === "default") ?? ids[0] ?? "default";
  }
}

async function cancel(session: OpenSession): Promise<void> {
  session.isCancelled = true;
  await session.turn?.cancel();
}

function busy(sessionId: string): RpcError {
  const message = `Session ${sessionId} answers a prompt already. Wait for its end, or cancel it with session/cancel.`;
  return new RpcError(RPC_ERRORS.invalidRequest, message);
}

/** A capability is offered by an object, or by true. */
function capability(capabilities: unknown, name: string): boolean {
  if (!isPlainObject(capabilities)) return false;
  const offered = capabilities[name];
  return offered !== undefined && offered !== null && offered !== false;
}

function folderFields({ cwd, additionalDirectories: more }: SessionFolders) {
  return { cwd, ...(more !== undefined && more.length > 0 && { additional_directories: more }) };
}

function workspaceOf({ cwd, additional_directories = [] }: SessionRecord): Json {
  return { cwd, additional_directories };
}

/** The kind of each tool: a word of its capabilities, or `read` for tools that change nothing. */
function kindsOf(agent: AgentInfo | undefined): KindOf {
  const kinds = new Map(
    agent?.tools.map(({ name, class: toolClass, capabilities }) => {
      const named = ACP_TOOL_KINDS.find((kind) => capabilities.includes(kind));
      return [name, named ?? (toolClass === "read_only" ? "read" : undefined)] as const;
    }),
  );
  return (tool) => kinds.get(tool);
}

/** The words of a prompt as the answer to a question: a number or a truth value where one is asked for. */
function answerOf({ question }: Extract<TurnEnd, { type: "asked" }>, prompt: readonly AcpContent[]): Json {
  const text = prompt
    .map((block) => (block.type === "text" ? block.text : ""))
    .join("\n")
    .trim();
  const type = question.ticket.suspension.response_schema?.type;
  if (type === undefined || type === "string") return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function readBase64(body: string): Uint8Array {
  try {
    return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
  } catch {
    throw new RpcError(RPC_ERRORS.invalidParams, "Invalid params: data must be base64.");
  }
}
