import {
  describeThrown,
  invalidRequest,
  type Message,
  type NodeErrorFact,
  RepriseError,
  redactCredentials,
  type SessionEvent,
  type SessionEventData,
  type SessionEventType,
  type SessionStopReason,
} from "@reprise/contracts";
import { type DispatchedCall, type LoopCall, type ModelChain, runToolLoop, type ToolLoopEvent } from "@reprise/runtime";
import { grantTools, openChain, requestOptions, spill, systemOf } from "../agent/agent-request.ts";
import type { AgentRunnerDeps } from "../agent/agent-runner-deps.ts";
import { loopFailure, nodeFailure } from "../agent/failure-ladder.ts";
import { chainEntries, planFallbacks } from "../agent/fallback-plan.ts";
import type { WorkflowAgent, WorkflowDocument } from "../document/workflow-document.ts";
import type { AnnouncedCall, NodeFailure, NodeTokens } from "../node/node-executor.ts";
import { exportSession } from "./export-session.ts";
import { type AgentSessionState, newSessionState, readSessionState } from "./session-state.ts";

/** What a session uses of the host. */
export type SessionDeps = Pick<
  AgentRunnerDeps,
  "resolveProvider" | "registry" | "env" | "onAuthError" | "limits" | "preEgress" | "blobs"
>;

/** `auto`: runs without a question. `ask`: asks before every call. `deny`: never runs. */
export type ApprovalMode = "auto" | "ask" | "deny";

interface SessionSettings {
  readonly deps: SessionDeps;
  /** Gets every event as it happens. */
  readonly onEvent?: (event: SessionEvent) => void;
  /** Decides about a call that has to be approved. Without it such calls are denied. */
  readonly approve?: (call: AnnouncedCall) => Promise<boolean>;
  /** By tool. A tool that is not in it asks when it says so itself. */
  readonly approvals?: { readonly [toolId: string]: ApprovalMode };
  /** Awaited before a tool runs that is neither read-only nor idempotent. */
  readonly announceCall?: (call: AnnouncedCall) => Promise<void>;
  /** Turns in all; 50 unless given, and never more. */
  readonly maxTurns?: number;
  /** How many turns the model is sent; all of them unless given. */
  readonly keepTurns?: number;
}

/** A new session of an agent, or one that continues from its state. */
export type AgentSessionOptions = SessionSettings &
  ({ readonly id: string; readonly agent: WorkflowAgent } | { readonly state: AgentSessionState });

/** What a turn came to. */
export interface SessionTurn {
  /** Empty for a turn without an answer. */
  readonly text: string;
  readonly stopReason: SessionStopReason;
  readonly tokensUsed: NodeTokens;
  /** Why there is no answer, unless the turn was aborted. */
  readonly error?: NodeErrorFact;
}

/** A conversation with an agent. */
export interface AgentSession {
  readonly id: string;
  /** As of the last turn that ended. */
  readonly state: AgentSessionState;
  /** Says something to the agent. One turn at a time. */
  send(text: string): Promise<SessionTurn>;
  /** Ends the turn that runs. The session lives. */
  abort(): void;
  /** Ends the session for good, and the turn that runs. */
  cancel(): void;
  /** The conversation as a workflow document. The id is in kebab-case. */
  export(options: { readonly workflowId: string }): WorkflowDocument;
}

const MOST_TURNS = 50;
const PREVIEW_CHARACTERS = 500;

/** Opens a session. Nothing is stored here: `state` is plain JSON, and the host keeps it after every turn. */
export function createAgentSession(options: AgentSessionOptions): AgentSession {
  return new Session(options);
}

class Session implements AgentSession {
  readonly #options: AgentSessionOptions;
  #state: AgentSessionState;
  #chain: ModelChain | undefined;
  #turn: AbortController | undefined;

  constructor(options: AgentSessionOptions) {
    this.#options = options;
    const { maxTurns = MOST_TURNS, keepTurns = 1 } = options;
    if (!Number.isSafeInteger(keepTurns) || keepTurns < 1) {
      throw new RepriseError("INVALID_DEFINITION", `keepTurns must be a whole number from 1 (got ${keepTurns}).`);
    }
    if (!Number.isSafeInteger(maxTurns) || maxTurns < 1 || maxTurns > MOST_TURNS) {
      throw new RepriseError("INVALID_DEFINITION", `maxTurns must be 1 to ${MOST_TURNS} (got ${maxTurns}).`);
    }
    this.#state = "state" in options ? readSessionState(options.state) : newSessionState(options.id, options.agent);
    const { id: agent_id, model } = this.#state.agent;
    if (this.#state.seq === 0) this.#emit("session_start", { agent_id, model });
  }

  get id(): string {
    return this.#state.session_id;
  }

  get state(): AgentSessionState {
    return this.#state;
  }

  async send(text: string): Promise<SessionTurn> {
    if (this.#state.status === "cancelled") throw invalidRequest(`Session ${this.id} was cancelled.`);
    if (this.#turn !== undefined) throw invalidRequest(`Session ${this.id} is in a turn. Wait for it, or abort it.`);
    if (text.trim() === "") throw invalidRequest("A message to an agent must not be empty.");
    const controller = new AbortController();
    this.#turn = controller;
    try {
      return await this.#take(text, controller.signal);
    } catch (error) {
      // The announcement of a call could not be stored: that is the host's trouble.
      const { turns, agent } = this.#state;
      this.#fail(turns, nodeFailure("internal", describeThrown(error)), { input: 0, output: 0, model: agent.model });
      throw error;
    } finally {
      this.#turn = undefined;
    }
  }

  abort(): void {
    this.#turn?.abort(new Error("The turn was aborted."));
  }

  cancel(): void {
    if (this.#state.status === "cancelled") return;
    this.#state = { ...this.#state, status: "cancelled" };
    this.#emit("session_cancel", {});
    this.abort();
  }

  export({ workflowId }: { readonly workflowId: string }): WorkflowDocument {
    const document = exportSession(this.#state, workflowId);
    this.#emit("session_export", { workflow_id: workflowId });
    return document;
  }

  async #take(text: string, signal: AbortSignal): Promise<SessionTurn> {
    const turn = this.#state.turns + 1;
    const { maxTurns = MOST_TURNS } = this.#options;
    const nobody = { input: 0, output: 0, model: this.#state.agent.model };
    if (turn > maxTurns) {
      return this.#fail(turn, nodeFailure("turn_limit", `Session ${this.id} has had its ${maxTurns} turns.`), nobody);
    }
    this.#state = { ...this.#state, turns: turn };
    this.#emit("turn_start", { turn });
    const prepared = this.#prepare();
    if ("error" in prepared) return this.#fail(turn, prepared.error, nobody);
    const { chain, tools, options } = prepared;
    const { agent } = this.#state;
    const { deps } = this.#options;
    const key = `${this.id}-${turn}`;
    const said: Message = { id: `${key}-u`, role: "user", content: text };
    const before = this.#state.messages;
    const trimmed = this.#trim();
    const result = await runToolLoop({
      key,
      chain,
      system: systemOf(agent),
      messages: [...before.slice(trimmed), said],
      tools,
      options,
      hash: (content) => deps.env.hash(content),
      emit: (event) => this.#show(event),
      dispatch: (call) => this.#dispatch(call, signal),
      spill: (content) => spill(deps, content),
      signal,
      ...(deps.limits !== undefined && { limits: deps.limits }),
    });
    const { outcome, tokens, model, messages } = result;
    const used = { ...tokens, model };
    if (outcome.kind === "cancelled") return this.#end(turn, { text: "", stopReason: "aborted", tokensUsed: used });
    if (outcome.kind !== "answered") return this.#fail(turn, loopFailure(outcome), used);
    const { answer } = outcome;
    this.#state = { ...this.#state, messages: [...before.slice(0, trimmed), ...messages] };
    const stopReason = answer.stopReason === "tool_use" ? "end_turn" : answer.stopReason;
    return this.#end(turn, { text: answer.text, stopReason, tokensUsed: used });
  }

  /** One chain for all turns here: whoever was asked too often is left alone in the next turn too. */
  #prepare():
    | { readonly error: NodeFailure }
    | {
        readonly chain: ModelChain;
        readonly tools: readonly ToolOffer[];
        readonly options: ReturnType<typeof requestOptions>;
      } {
    const { deps } = this.#options;
    const { agent } = this.#state;
    const granted = grantTools(deps, agent);
    if (!granted.ok) return { error: granted.error };
    const options = requestOptions(agent);
    if (this.#chain === undefined) {
      const plan = planFallbacks(deps, {}, agent);
      if (!plan.ok) return { error: plan.error };
      const models = chainEntries(deps, plan.entries);
      if (!models.ok) return { error: models.error };
      const asked = { runId: this.id, path: agent.id };
      this.#chain = openChain(deps, { key: this.id, entries: models.entries, options, asked });
    }
    return { chain: this.#chain, tools: granted.tools, options };
  }

  /** How many of the oldest messages the model is not sent. They stay in the state. */
  #trim(): number {
    const { keepTurns } = this.#options;
    const { messages } = this.#state;
    if (keepTurns === undefined) return 0;
    const begins = messages.flatMap(({ role }, index) => (role === "user" ? [index] : []));
    // The turn that begins counts too.
    const dropped = begins.length - (keepTurns - 1);
    const first = dropped <= 0 ? 0 : (begins[dropped] ?? messages.length);
    if (first > 0) this.#emit("session_trim", { messages: first });
    return first;
  }

  #dispatch(call: LoopCall, signal: AbortSignal): Promise<DispatchedCall> {
    const { deps, approvals = {}, announceCall } = this.#options;
    const { agent } = this.#state;
    const mode = Object.hasOwn(approvals, call.tool_id) ? approvals[call.tool_id] : undefined;
    const dispatch = (approve: () => Promise<boolean>): Promise<DispatchedCall> =>
      deps.registry.dispatch({
        call,
        agentId: agent.id,
        signal,
        approve,
        node: {
          path: agent.id,
          runId: this.id,
          now: deps.env.clock.now(),
          announceCall: async (announced) => announceCall?.(announced),
        },
      });
    switch (mode) {
      case "deny":
        return Promise.resolve({ outcome: "denied", message: `Tool ${call.tool_id} is denied in this session.` });
      case "auto":
        return dispatch(async () => true);
      case "ask":
        return this.#ask(call).then((isApproved) =>
          isApproved
            ? dispatch(async () => true)
            : { outcome: "denied", message: `The call of tool ${call.tool_id} was not approved.` },
        );
      case undefined:
        return dispatch(() => this.#ask(call));
      default:
        return mode satisfies never;
    }
  }

  async #ask({ id, tool_id, arguments: given }: LoopCall): Promise<boolean> {
    const preview = redactCredentials(JSON.stringify(given).slice(0, PREVIEW_CHARACTERS).toWellFormed());
    this.#emit("approval_request", { node_id: this.#state.agent.id, id, tool_id, preview });
    return (await this.#options.approve?.({ id, tool_id, arguments: given })) ?? false;
  }

  #show(event: ToolLoopEvent): void {
    const node_id = this.#state.agent.id;
    if (event.type !== "node_cost") {
      // The data is that of the type, which the compiler cannot follow through the union.
      this.#emit(event.type, { ...event.data, node_id } as never);
      return;
    }
    const cost_microcents = this.#state.cost_microcents + event.data.cost_microcents;
    this.#state = { ...this.#state, cost_microcents };
    this.#emit("node_cost", { ...event.data, node_id, cumulative_cost_microcents: cost_microcents });
  }

  #fail(turn: number, error: NodeFailure, tokensUsed: NodeTokens): SessionTurn {
    return this.#end(turn, { text: "", stopReason: "error", tokensUsed, error });
  }

  #end(turn: number, done: SessionTurn): SessionTurn {
    const { stopReason: stop_reason, tokensUsed: tokens, error } = done;
    this.#emit("turn_end", { turn, stop_reason, tokens, ...(error !== undefined && { error }) });
    return done;
  }

  #emit<Type extends SessionEventType>(type: Type, data: SessionEventData[Type]): void {
    const seq = this.#state.seq + 1;
    this.#state = { ...this.#state, seq };
    const { onEvent, deps } = this.#options;
    // As above.
    onEvent?.({ type, session_id: this.id, seq, timestamp_ms: deps.env.clock.now(), data } as SessionEvent);
  }
}

type ToolOffer = Extract<ReturnType<typeof grantTools>, { readonly ok: true }>["tools"][number];
