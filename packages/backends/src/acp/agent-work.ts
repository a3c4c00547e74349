import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { BackendDecision, BackendOutcome, BackendRun, Termination } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import { ACP_VERSION, RpcError } from "@reprise/protocols/acp";
import type { Json } from "@reprise/state";
import { type AgentProcess, startAgentProcess } from "./agent-process.ts";
import type { AcpHarness } from "./harness-settings.ts";
import { promptSince, wholePrompt } from "./prompt-of.ts";
import { type AgentRequest, readForm, readPermission } from "./questions.ts";
import { dropCalls, type ShownCalls, showUpdate } from "./show-update.ts";

/** A decision, as far as an answer to the agent needs it. */
export type MadeDecision = Pick<BackendDecision, "action" | "result">;

/** `working`: the agent was asked, and may be doing anything. `waiting`: it waits for a decision. */
export type TurnStatus = "working" | "waiting";

/** How a turn begins. */
export interface TurnStart {
  /** The agent's session on this thread, where there was one. */
  readonly sessionId?: string | undefined;
  /** The turn was begun by a program that is gone. */
  readonly isInterrupted: boolean;
  /** What was decided before the program was lost, by what was asked. */
  readonly decided: ReadonlyMap<string, MadeDecision>;
}

const START_MS = 60_000;
const TURN_MS = 30 * 60_000;
const IDLE_MS = 15 * 60_000;
const CANCEL_MS = 2_000;
const MAX_TEXT = 1_000_000;

/** A turn of an agent, as long as its program lives: it works, asks, waits for the decision, and goes on. */
export class AgentWork {
  readonly #harness: AcpHarness;
  readonly #process: AgentProcess;
  readonly #onEnd: () => void;
  readonly #open = new Map<string, AgentRequest & { readonly give: (answer: Json) => void }>();
  #decided = new Map<string, MadeDecision>();
  #run: BackendRun | undefined;
  /** Updates that came while no worker had the run. */
  #held: Json[] = [];
  #calls: ShownCalls = {};
  #text = "";
  #messageId: string | undefined;
  #sessionId = "";
  /** False while an agent tells the history of a session that it loads. */
  #isTurn = false;
  #asked = 0;
  #stopReason: string | undefined;
  #failure: unknown;
  #wake = Promise.withResolvers<void>();
  #idle: NodeJS.Timeout | undefined;

  constructor(harness: AcpHarness, onEnd: () => void) {
    this.#harness = harness;
    this.#onEnd = onEnd;
    this.#process = startAgentProcess(harness, {
      requests: {
        "session/request_permission": ({ params }) => this.#ask(readPermission(this.#nextId(), params)),
        "elicitation/create": ({ params }) => this.#ask(readForm(this.#nextId(), params)),
      },
      notifications: {
        "session/update": (params) => {
          if (isPlainObject(params) && this.#isTurn) this.#hear(params.update as Json);
        },
      },
    });
    this.#process.gone.catch((error: unknown) => this.#fail(error));
  }

  /** Opens a session, asks the agent, and works until it ends or asks. */
  async begin(run: BackendRun, start: TurnStart): Promise<BackendOutcome> {
    this.#decided = new Map(start.decided);
    const isLoaded = await this.#bounded(this.#openSession(start.sessionId), run.signal);
    const prompt = !isLoaded
      ? wholePrompt(run.messages)
      : start.isInterrupted
        ? [{ type: "text", text: "The connection was interrupted. Continue with the task." }]
        : promptSince(run.messages);
    await run.notes.save("thread", { session_id: this.#sessionId });
    await this.#note(run, "working");
    this.#isTurn = true;
    this.#process.peer.request("session/prompt", { sessionId: this.#sessionId, prompt }).then(
      (answer) => this.#stop(isPlainObject(answer) ? String(answer.stopReason) : ""),
      (error: unknown) => this.#fail(error),
    );
    return this.#settle(run);
  }

  /** Gives the agent the decisions that it waits for, and works on. */
  async continue(run: BackendRun): Promise<BackendOutcome> {
    clearTimeout(this.#idle);
    await this.#note(run, "working");
    this.#process.hold(true);
    for (const decision of run.decisions) {
      const request = this.#open.get(decision.questionId);
      this.#open.delete(decision.questionId);
      request?.give(request.answer(decision));
    }
    return this.#settle(run);
  }

  /** Asks the agent to stop, and ends its program when it does not. */
  async cancel(): Promise<void> {
    for (const { give, cancelled } of this.#open.values()) give(cancelled);
    this.#open.clear();
    void this.#process.peer.notify("session/cancel", { sessionId: this.#sessionId });
    if (this.#stopReason === undefined && this.#failure === undefined)
      await Promise.race([this.#wake.promise, sleep(CANCEL_MS, undefined, { ref: false })]);
    this.end();
  }

  end(): void {
    clearTimeout(this.#idle);
    this.#process.kill();
    this.#onEnd();
  }

  /** Answers whether the agent knows the conversation: it could take its session up again. */
  async #openSession(known: string | undefined): Promise<boolean> {
    const { peer } = this.#process;
    const cwd = this.#harness.cwd ?? process.cwd();
    const clientCapabilities = { elicitation: { form: {} } };
    const clientInfo = { name: "reprise", version: "0.1.0" };
    const answer = await peer.request("initialize", { protocolVersion: ACP_VERSION, clientCapabilities, clientInfo });
    const { agentCapabilities, protocolVersion } = isPlainObject(answer) ? answer : {};
    if (protocolVersion !== ACP_VERSION)
      throw new Error(`The agent speaks version ${String(protocolVersion)} of ACP; ${ACP_VERSION} is needed`);
    if (known !== undefined && (await this.#takeUp(known, agentCapabilities, cwd))) {
      this.#sessionId = known;
      return true;
    }
    const session = await peer.request("session/new", { cwd, mcpServers: [] });
    const id = isPlainObject(session) ? session.sessionId : undefined;
    if (typeof id !== "string") throw new Error("The agent opened a session without an id");
    this.#sessionId = id;
    return false;
  }

  /** An agent that forgot the session, or cannot take any up, begins a new one. */
  async #takeUp(sessionId: string, capabilities: unknown, cwd: string): Promise<boolean> {
    const { loadSession, sessionCapabilities } = isPlainObject(capabilities) ? capabilities : {};
    const { resume } = isPlainObject(sessionCapabilities) ? sessionCapabilities : {};
    const method = isPlainObject(resume) ? "session/resume" : loadSession === true ? "session/load" : undefined;
    if (method === undefined) return false;
    try {
      await this.#process.peer.request(method, { sessionId, cwd, mcpServers: [] });
      return true;
    } catch (error) {
      if (error instanceof RpcError) return false;
      throw error;
    }
  }

  /** Opening must not take for ever, and ends with the program. */
  async #bounded<Value>(opening: Promise<Value>, signal: AbortSignal): Promise<Value> {
    const { startTimeoutMs = START_MS, command } = this.#harness;
    const late = new AbortController();
    const ended = Promise.race([this.#process.gone, aborted(signal)]);
    try {
      const tooLate = sleep(startTimeoutMs, undefined, { signal: late.signal }).then(() => {
        throw new Error(`The agent ${command} opened no session within ${startTimeoutMs} ms`);
      });
      tooLate.catch(() => undefined);
      return await Promise.race([opening, ended, tooLate]);
    } catch (error) {
      this.end();
      throw error;
    } finally {
      late.abort();
    }
  }

  /** Shows what the agent does until it ends or asks. */
  async #settle(run: BackendRun): Promise<BackendOutcome> {
    const { turnTimeoutMs = TURN_MS, command } = this.#harness;
    this.#text = "";
    this.#run = run;
    const timer = setTimeout(
      () => this.#fail(new Error(`The agent ${command} took longer than ${turnTimeoutMs} ms`)),
      turnTimeoutMs,
    );
    const stopped = aborted(run.signal);
    try {
      for (const update of this.#held.splice(0)) this.#hear(update);
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure;
        if (this.#stopReason !== undefined) return this.#finish(run, this.#stopReason);
        if (this.#open.size > 0) return await this.#suspend(run);
        await Promise.race([this.#wake.promise, stopped]);
      }
    } catch (error) {
      // Whatever broke: no worker will come back to this program.
      if (run.signal.aborted) await this.cancel();
      else this.end();
      throw error;
    } finally {
      clearTimeout(timer);
      this.#run = undefined;
    }
  }

  #finish(run: BackendRun, stopReason: string): BackendOutcome {
    for (const event of dropCalls(this.#calls)) run.show(event);
    this.end();
    return { termination: terminationOf(stopReason), text: this.#text };
  }

  /** Requests that come together are asked together. */
  async #suspend(run: BackendRun): Promise<BackendOutcome> {
    await nextTurn();
    await this.#note(run, "waiting");
    const questions = Array.from(this.#open.values(), ({ question }) => question);
    const { idleTimeoutMs = IDLE_MS } = this.#harness;
    this.#idle = setTimeout(() => this.end(), idleTimeoutMs);
    this.#idle.unref();
    this.#process.hold(false);
    return { termination: { type: "suspended" }, text: this.#text, questions };
  }

  /** Says how the turn stands, for a worker that finds no program. */
  #note({ notes }: BackendRun, status: TurnStatus): Promise<void> {
    return notes.save("run", { session_id: this.#sessionId, status });
  }

  #nextId(): string {
    this.#asked += 1;
    return `${this.#sessionId}-q${this.#asked}`;
  }

  /** A request of the agent waits for a person, unless the same was decided before its program was lost. */
  #ask(request: AgentRequest): Promise<Json> {
    const decided = this.#decided.get(request.key);
    this.#decided.delete(request.key);
    if (decided !== undefined) return Promise.resolve(request.answer(decided));
    const { promise, resolve } = Promise.withResolvers<Json>();
    this.#open.set(request.question.id, { ...request, give: resolve });
    this.#change();
    return promise;
  }

  #hear(update: Json): void {
    const run = this.#run;
    if (run === undefined) return void this.#held.push(update);
    const { calls, text, events } = showUpdate(this.#calls, update);
    this.#calls = calls;
    for (const event of events) run.show(event);
    if (text === undefined) return;
    const isNext = text.messageId !== undefined && this.#messageId !== undefined && text.messageId !== this.#messageId;
    this.#messageId = text.messageId ?? this.#messageId;
    const delta = isNext && this.#text !== "" ? `\n\n${text.delta}` : text.delta;
    const { maxTextLength = MAX_TEXT, command } = this.#harness;
    if (this.#text.length + delta.length > maxTextLength)
      return this.#fail(new Error(`The agent ${command} said more than ${maxTextLength} characters`));
    this.#text += delta;
    run.showText(delta);
  }

  #stop(stopReason: string): void {
    this.#stopReason = stopReason;
    this.#change();
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#change();
    // A program that waits for a decision has no worker to end it.
    if (this.#run === undefined) this.#onEnd();
  }

  #change(): void {
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  if (signal.aborted) reject(signal.reason);
  else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  return promise;
}

function terminationOf(stopReason: string): Termination {
  switch (stopReason) {
    case "end_turn":
      return { type: "natural_end" };
    case "cancelled":
      return { type: "cancelled", detail: "the agent cancelled its turn" };
    case "max_tokens":
      return { type: "stopped", value: { code: "output_truncated" } };
    case "max_turn_requests":
      return { type: "stopped", value: { code: "max_rounds_reached" } };
    default:
      return { type: "stopped", value: { code: stopReason === "refusal" ? "refused" : "agent_stopped" } };
  }
}
