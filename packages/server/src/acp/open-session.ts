import {
  ACP_TOOL_KINDS,
  type AcpContent,
  type AcpEncodingOptions,
  type AcpUpdate,
  encodeAcpHistory,
  INITIAL_ACP_STATE,
  type KindOf,
  RPC_ERRORS,
  RpcError,
  type RpcPeer,
  titleOf,
} from "@reprise/protocols/acp";
import type { AgentInfo, RunHandle, TenantRuntime } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { findRunUnderWay } from "../ai-sdk/find-run-under-way.ts";
import type { EditorServer, SessionServers } from "./editor-servers.ts";
import { readAnswer, readContent } from "./prompt-content.ts";
import { readHistory } from "./session-history.ts";
import type { SessionRecord, SessionRecords } from "./session-records.ts";
import { Turn, type TurnEnd } from "./turn.ts";

/** The parts of a connection that its sessions use. */
export interface SessionHost {
  readonly runtime: TenantRuntime;
  readonly records: SessionRecords;
  readonly peer: RpcPeer;
  /** What the client can show. */
  readonly encoding: AcpEncodingOptions;
  readonly hasForms: boolean;
  warn(error: unknown): void;
}

/** A session that a client has open: the run that is shown, and the servers that the client brought. */
export class OpenSession {
  readonly #id: string;
  readonly #host: SessionHost;
  /** The run that is shown: of a prompt, or one that was at work when the session was loaded. */
  #turn: Turn | undefined;
  /** The answer to a prompt is pending. */
  #isPrompted = false;
  /** The client cancelled before the run began. */
  #isCancelled = false;
  /** A question that the next prompt answers. */
  #asked: Extract<TurnEnd, { type: "asked" }> | undefined;
  /** Settles when the shown run is no longer shown. */
  #shown: Promise<unknown> | undefined;
  #servers: { readonly opened: SessionServers; readonly key: string } | undefined;

  constructor(id: string, host: SessionHost) {
    this.#id = id;
    this.#host = host;
  }

  /** Answers a prompt with a run, or with the rest of the one whose question the prompt answers. */
  async prompt(record: SessionRecord, prompt: readonly AcpContent[], signal: AbortSignal): Promise<Json> {
    this.assertIdle();
    this.#isPrompted = true;
    this.#isCancelled = false;
    const onAbort = (): void => {
      if (signal.reason instanceof RpcError && signal.reason.code === RPC_ERRORS.cancelled) void this.cancel();
    };
    signal.addEventListener("abort", onAbort);
    try {
      const turn = await this.#begin(record, prompt);
      if (this.#isCancelled) await turn.cancel();
      return await this.#follow(turn);
    } finally {
      signal.removeEventListener("abort", onAbort);
      this.#isPrompted = false;
    }
  }

  assertIdle(): void {
    if (!this.#isPrompted) return;
    const message = `Session ${this.#id} answers a prompt already. Wait for its end, or cancel it with session/cancel.`;
    throw new RpcError(RPC_ERRORS.invalidRequest, message);
  }

  /** Uses the servers that the client names from now on. The same ones stay connected. */
  async useServers(
    servers: readonly EditorServer[],
    open: (sessionId: string, servers: readonly EditorServer[]) => SessionServers,
  ): Promise<SessionServers> {
    const key = JSON.stringify(servers);
    if (this.#servers?.key === key) return this.#servers.opened;
    const before = this.#servers?.opened;
    this.#servers = { opened: open(this.#id, servers), key };
    await before?.close();
    return this.#servers.opened;
  }

  /** Finds the run that is at work or waits for a person, and shows everything before it when the client wants that. */
  async load(record: SessionRecord, isShown: boolean): Promise<RunHandle | undefined> {
    this.#turn?.leave(new Error("The session was loaded again."));
    const run = await this.#findOpenRun(record);
    if (!isShown) return run;
    const history = await readHistory(this.#host.runtime, this.#id, run);
    for (const update of encodeAcpHistory(history, kindsOf(this.#agentOf(record)))) await this.update(update);
    return run;
  }

  /** Shows a run that was open when the session was loaded. There is no prompt to answer, so its end is only shown. */
  showInBackground(record: SessionRecord, run: RunHandle): void {
    if (this.#isPrompted) return;
    const turn = this.#turnOf(record, run, 0);
    this.#follow(turn).catch((error: unknown) => this.#host.warn(error));
  }

  async cancel(): Promise<void> {
    this.#isCancelled = true;
    await this.#turn?.cancel();
  }

  /** Ends the work of the session, as `session/cancel` does, waits until no process has it, and lets the servers go. */
  async end(): Promise<void> {
    if (this.#turn !== undefined) {
      await this.cancel();
      await this.#turn.run.outcome();
    }
    await this.#servers?.opened.close();
    this.#servers = undefined;
  }

  /** The client is gone. Runs continue, with the servers, until the process ends. */
  leave(reason: Error): void {
    this.#turn?.leave(reason);
  }

  update(update: AcpUpdate): void | Promise<void> {
    // An update is plain JSON; its interface hides it.
    return this.#host.peer.notify("session/update", { sessionId: this.#id, update: update as unknown as Json });
  }

  /** The run of a prompt: a new one, or the one whose question the prompt answers. */
  async #begin(record: SessionRecord, prompt: readonly AcpContent[]): Promise<Turn> {
    const { runtime, records } = this.#host;
    const asked = this.#asked;
    const before = this.#turn;
    this.#asked = undefined;
    if (asked !== undefined && before !== undefined) {
      await before.decide(asked.question, { action: "supply", result: readAnswer(asked, prompt) });
      return before;
    }
    // A run that waits is superseded; one at work is shown to its end first.
    before?.stopAsking();
    await this.#shown;
    const title = record.title ?? titleOf(prompt);
    await records.save(this.#id, { ...record, title });
    if (record.title === undefined) await this.update({ sessionUpdate: "session_info_update", title });
    const spent = await this.#cost();
    const run = await runtime.submit({
      agent_id: this.#runAgent(record),
      thread_id: this.#id,
      origin: "acp",
      messages: [{ role: "user", content: await readContent(runtime, prompt) }],
      busy_policy: "continue",
      state: { workspace: workspaceOf(record) },
      ...(record.model !== undefined && { overrides: { model: record.model } }),
    });
    return this.#turnOf(record, run, spent);
  }

  async #follow(turn: Turn): Promise<Json> {
    this.#turn = turn;
    const following = turn.follow();
    this.#shown = following.catch(() => undefined);
    const end = await following;
    switch (end.type) {
      case "stop":
        return { stopReason: end.stopReason };
      case "asked":
        this.#asked = end;
        return { stopReason: "end_turn" };
      case "failed":
        throw new RpcError(RPC_ERRORS.internal, end.message, end.code === undefined ? undefined : { code: end.code });
      default:
        return end satisfies never;
    }
  }

  #turnOf(record: SessionRecord, run: RunHandle, costBefore: number): Turn {
    const { runtime, peer, encoding, hasForms } = this.#host;
    const agent = this.#agentOf(record);
    const window = agent?.context_window;
    const turn = new Turn({
      runtime,
      peer,
      sessionId: this.#id,
      run,
      state: { ...INITIAL_ACP_STATE, ...(window !== undefined && { window }) },
      encoding: { ...encoding, kindOf: kindsOf(agent), costBefore },
      hasForms,
    });
    this.#turn = turn;
    return turn;
  }

  async #findOpenRun(record: SessionRecord): Promise<RunHandle | undefined> {
    const { runtime } = this.#host;
    for (const agent of new Set([this.#runAgent(record), record.agent])) {
      const underWay = await findRunUnderWay(runtime, agent, this.#id);
      if (underWay !== undefined) return underWay;
    }
    const [waiting] = (await runtime.runs({ threadId: this.#id, status: "waiting", limit: 1 })).items;
    return waiting === undefined ? undefined : runtime.run(waiting.run_id);
  }

  /** With the servers of the client, where it brought any. */
  #runAgent({ agent }: SessionRecord): string {
    return this.#servers?.opened.agentFor(agent) ?? agent;
  }

  #agentOf({ agent }: SessionRecord): AgentInfo | undefined {
    return this.#host.runtime.agents().find(({ id }) => id === agent);
  }

  async #cost(): Promise<number> {
    const { runtime } = this.#host;
    const { items } = await runtime.runs({ threadId: this.#id, limit: 1 });
    return items.length === 0 ? 0 : (await runtime.costs.ofThread(this.#id)).cost_microcents;
  }
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
