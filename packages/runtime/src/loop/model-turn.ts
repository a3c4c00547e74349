import {
  type AgentEvent,
  activeAgentOf,
  type Budget,
  type BudgetFact,
  type FilePart,
  type HandCall,
  type LanguageModel,
  type ModelChunk,
  type RunObserver,
  type StopReason,
  type TokenUsage,
  type WorkObserver,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { BudgetExceeded } from "../budget/budget-exceeded.ts";
import { completeBudget } from "../budget/change-budget.ts";
import { type GatedRun, isGated, RunGate } from "../budget/run-gate.ts";
import { describeBudget } from "../budget/tell-budget.ts";
import { decodeFailure, encodeFailure } from "../effects/failure.ts";
import { watchAnswer } from "../effects/observers.ts";
import { freezeDeep } from "../json/freeze-deep.ts";
import { takeMediaTurn } from "../media/media-turn.ts";
import type { Inference } from "../phases/compose-inference.ts";
import type { AgentSource } from "../resolve/agents.ts";
import { AttemptRefused } from "../route/attempt-gate.ts";
import { type RoutedRequest, toModelError } from "../route/model-route.ts";
import { ModelUnavailable } from "../route/model-unavailable.ts";
import { refusingModel } from "../route/refusing-model.ts";
import { type ModelAttempt, RouteSession } from "../route/route-session.ts";
import type { AgentView, Host, HostServices, Outside, RunView } from "../run/ports.ts";
import { callIdOf } from "../thread/derived-ids.ts";
import { runTurn } from "../turn/run-turn.ts";
import type { CompleteCall, Turn, TurnChunk } from "../turn/turn.ts";
import type { RunJournal } from "./run-journal.ts";
import { hasPatience } from "./wait-for-model.ts";

/** The parts of a run that asking its model touches. */
interface AskedRun extends RunView, Pick<AgentView, "agent">, GatedRun, Outside, Host {
  readonly journal: Pick<RunJournal, "seq">;
  readonly services: GatedRun["services"] & HostServices & { readonly agents: AgentSource };
}

/** What is stored of a turn beside what it showed. */
export interface TurnFacts {
  /** Which model was wanted; a route stands for several. */
  readonly model: string;
  readonly duration_ms: number;
  readonly attempts: readonly ModelAttempt[];
  readonly candidates: readonly string[];
  readonly requirements: readonly string[];
  /** The budget as it stood last. Recordings of 0.1.0 have all of it. */
  readonly budget?: BudgetFact | Budget;
  /** What is not shown of the calls the model finished asking for, one for each `tool_call_ready`. */
  readonly calls: readonly { readonly provider_id: string; readonly problem?: string }[];
  readonly stop_reason?: StopReason;
  readonly usage?: TokenUsage;
  readonly has_files?: boolean;
  /** What the model said, when nothing of it was shown while it came. */
  readonly held?: Turn;
}

export interface ModelTurnOptions {
  readonly stepId: string;
  readonly inference: Inference;
  /** The answer before this one was shown, and is dropped. */
  readonly isAgain: boolean;
  readonly show: (chunk: TurnChunk) => void;
}

const NOBODY: TurnFacts = {
  model: "",
  duration_ms: 0,
  attempts: [],
  candidates: [],
  requirements: [],
  calls: [],
};

/** One turn of a model, with its way through the route and the budget: one effect, which is shown while it comes. */
export class ModelTurn {
  readonly #workspace: AskedRun;
  readonly #options: ModelTurnOptions;
  readonly #ready: TurnFacts["calls"][number][] = [];
  readonly #played = new PlayedTurn();
  #facts: TurnFacts = NOBODY;

  constructor(workspace: AskedRun, options: ModelTurnOptions) {
    this.#workspace = workspace;
    this.#options = options;
  }

  /** Known when the turn is over, also when it failed. */
  get facts(): TurnFacts {
    return this.#facts;
  }

  take(): Promise<Turn> {
    const { effects, journal } = this.#workspace;
    return effects.stream(
      {
        kind: "turn",
        of: this.#options.stepId,
        seq: () => journal.seq,
        // Facts are made of JSON; their interfaces hide it.
        facts: () => this.#facts as unknown as Json,
        recall: (facts) => {
          // Written by `facts`, just above.
          this.#facts = facts as unknown as TurnFacts;
        },
        play: (event) => this.#play(event),
        decode: () => this.#facts.held ?? this.#played.finish(this.#facts),
        encodeFailure: encodeRefusal,
        decodeFailure: decodeRefusal,
        ...(this.#asksModel && { watch: (observer) => this.#watch(observer) }),
      },
      () => this.#ask(),
    );
  }

  /** Whether a model is asked at all: not for a call by hand, and not for a request that was refused. */
  get #asksModel(): boolean {
    return this.#workspace.policy.by_hand === undefined && this.#options.inference.refusal === undefined;
  }

  #watch(observer: RunObserver): WorkObserver<Turn> | undefined {
    const { stepId, inference } = this.#options;
    // A replay knows no models, only which one was asked.
    const model = this.#facts.model || (inference.model ?? this.#workspace.agent.model.id);
    const { system, messages, tools, options } = inference.request;
    const work = { stepId, model, request: freezeDeep({ system, messages, tools, options }) };
    return watchAnswer(observer.model?.(work), ({ text, calls, stop_reason, usage }) => ({
      text,
      calls: calls.map(({ name, arguments: parsed }) => ({ name, arguments: parsed.value })),
      stopReason: stop_reason,
      usage,
    }));
  }

  async #ask(): Promise<Turn> {
    const { run, services } = this.#workspace;
    const startedAt = services.env.clock.mono();
    const gate = isGated(this.#workspace) ? new RunGate(this.#workspace, this.#options.stepId) : undefined;
    const elapsed = (): number => Math.round(services.env.clock.mono() - startedAt);
    const standIn = services.recordedWorld?.inference({ runId: run.run_id, of: this.#options.stepId });
    const session = new RouteSession(run.thread_id, { gate, elapsed, standIn });
    let model: LanguageModel | undefined;
    let turn: Turn | undefined;
    if (this.#options.isAgain) this.#options.show({ type: "reset" });
    try {
      model = modelOf(this.#workspace, this.#options.inference);
      turn = await this.#run(model, session);
      return turn;
    } catch (error) {
      if (error instanceof ModelUnavailable && !hasPatience(this.#workspace, error)) throw error.failure;
      throw error instanceof AttemptRefused ? error.reason : error;
    } finally {
      await gate?.close();
      const { attempts, candidates, requirements } = session;
      const budget = gate?.budget;
      this.#facts = {
        model: model?.id ?? "",
        duration_ms: elapsed(),
        attempts,
        candidates,
        requirements,
        ...(budget !== undefined && { budget: describeBudget(budget) }),
        calls: this.#ready,
        ...(turn !== undefined && { stop_reason: turn.stop_reason, usage: turn.usage }),
        ...(turn?.files !== undefined && { has_files: true }),
        ...(turn !== undefined && this.#options.inference.isHeld === true && { held: storedTurn(turn) }),
      };
    }
  }

  #run(model: LanguageModel, session: RouteSession): Promise<Turn> {
    const { agent, services } = this.#workspace;
    const { env, limits } = services;
    const { thread_id } = this.#workspace.run;
    const request: RoutedRequest = { ...this.#options.inference.request, thread_id, session };
    return runTurn({
      model,
      request,
      recovery: {
        // Media is made once: what failed may have been made, and paid for.
        interruptions: agent.media !== undefined ? 0 : (agent.streamLimits?.streamRetries ?? limits.streamRetries),
        truncations: limits.truncationRetries,
      },
      show: (chunk) => {
        if (chunk.type === "tool_call_ready") this.#ready.push(unshownOf(chunk.call));
        this.#options.show(chunk);
      },
      idleTimeoutMs: agent.streamLimits?.idleTimeoutMs ?? limits.modelIdleTimeoutMs,
      after: (ms, callback) => env.clock.after(ms, callback),
      sleep: (ms, signal) => env.clock.sleep(ms, signal),
    });
  }

  #play(event: AgentEvent): void {
    if (event.type === "budget_warning") {
      this.#workspace.emit(event.type, event.data ?? {}, this.#options.stepId);
      return;
    }
    const chunk = this.#played.chunkOf(event, this.#options.stepId, this.#facts);
    if (chunk !== undefined) this.#options.show(chunk);
  }
}

/** A turn as JSON. What its files are is an effect of its own. */
export function storedTurn({ encrypted, files, ...turn }: Turn): Turn {
  // Absent and undefined are the same to readers of a turn, and only the first is JSON.
  const kept = encrypted === undefined ? {} : { encrypted };
  return { ...turn, ...kept, ...(files !== undefined && { files: [] }) } as Turn;
}

function unshownOf({ provider_id, arguments: parsed }: CompleteCall): TurnFacts["calls"][number] {
  return parsed.ok ? { provider_id } : { provider_id, problem: parsed.problem };
}

/** A turn as far as its events were shown again. */
class PlayedTurn {
  #text = "";
  #reasoning = "";
  #encrypted: string | undefined;
  #ready = 0;
  readonly #calls = new Map<number, CompleteCall>();

  chunkOf(event: AgentEvent, stepId: string, facts: TurnFacts): TurnChunk | undefined {
    const indexOf = (callId: string): number => Number(callId.slice(callIdOf(stepId, 0).length - 1));
    switch (event.type) {
      case "text_delta":
        this.#text += event.data.delta;
        return { type: event.type, delta: event.data.delta };
      case "reasoning_delta":
        this.#reasoning += event.data.delta;
        return { type: event.type, delta: event.data.delta };
      case "reasoning_encrypted_value":
        this.#encrypted = event.data.encrypted_value;
        return { type: event.type, encrypted_value: event.data.encrypted_value };
      case "tool_call_start":
        return { type: event.type, index: indexOf(event.data.id), name: event.data.name };
      case "tool_call_delta":
        return { type: event.type, index: indexOf(event.data.id), args_delta: event.data.args_delta };
      case "tool_call_ready": {
        const { id, name, arguments: value } = event.data;
        const { provider_id = "", problem } = facts.calls[this.#ready++] ?? {};
        const parsed = problem === undefined ? { ok: true as const, value } : { ok: false as const, value, problem };
        const call = { index: indexOf(id), provider_id, name, arguments: parsed };
        this.#calls.set(call.index, call);
        return { type: event.type, index: call.index, call };
      }
      case "step_reset":
        this.#text = "";
        this.#reasoning = "";
        this.#encrypted = undefined;
        this.#calls.clear();
        return { type: "reset" };
      default:
        return undefined;
    }
  }

  finish({ stop_reason = "end_turn", usage = {}, has_files }: TurnFacts): Turn {
    const calls = [...this.#calls.values()].toSorted((left, right) => left.index - right.index);
    const files: readonly FilePart[] = [];
    return {
      text: this.#text,
      reasoning: this.#reasoning,
      encrypted: this.#encrypted,
      // What they are is an effect of its own.
      ...(has_files === true && { files }),
      calls,
      stop_reason,
      usage,
    };
  }
}

/** What is stored of a turn that may be taken again later: what a budget lacks, or for how long no model can be asked. */
type StoredRefusal =
  | ({ readonly of: "budget"; readonly allotment?: string } & Pick<BudgetExceeded, "budget" | "needed">)
  | ({ readonly of: "unavailable"; readonly failure: Json } & Pick<ModelUnavailable, "waitMs" | "reason">);

function encodeRefusal(error: unknown): Json | undefined {
  const stored = describeRefusal(error);
  // Numbers and ids, which their interfaces hide.
  return stored as unknown as Json | undefined;
}

function describeRefusal(error: unknown): StoredRefusal | undefined {
  if (error instanceof BudgetExceeded) {
    const { budget, needed, allotment } = error;
    return { of: "budget", budget, needed, ...(allotment !== undefined && { allotment }) };
  }
  if (!(error instanceof ModelUnavailable)) return undefined;
  const { waitMs, reason, failure } = error;
  return { of: "unavailable", waitMs, reason, failure: encodeFailure(failure) };
}

function decodeRefusal(stored: Json): unknown {
  // Written by `encodeRefusal`, or by the port.
  const refusal = stored as unknown as StoredRefusal;
  if (refusal.of === "budget") {
    const { budget, needed, allotment } = refusal;
    return new BudgetExceeded(completeBudget(budget), needed, allotment);
  }
  if (refusal.of !== "unavailable") return undefined;
  const failure = toModelError(decodeFailure(refusal.failure, undefined));
  return new ModelUnavailable(refusal.waitMs, refusal.reason, failure);
}

/** The model of a turn: none for a call by hand; the agent's, the one a plugin chose, or a media model. */
function modelOf(workspace: AskedRun, { request, model: override, fallbacks, refusal }: Inference): LanguageModel {
  const { agent, services, run, policy } = workspace;
  if (policy.by_hand !== undefined) return handModel(policy.by_hand, run.steps);
  if (refusal !== undefined) return refusingModel(agent.model.id, refusal);
  if (override !== undefined) return services.agents.model(activeAgentOf(run), override, fallbacks);
  const { model, media, modelSpec } = agent;
  if (media === undefined || modelSpec === undefined) return model;
  return takeMediaTurn(workspace, { model: media, spec: modelSpec }, request);
}

/**
 * Stands in for the model of a run that makes one call by hand: it asks for the call, and when that is over it has nothing to add.
 * The call goes the way of every other one, with its gates, its record and its approval.
 */
function handModel({ tool_id: name, arguments: input }: HandCall, step: number): LanguageModel {
  return {
    id: "by-hand",
    async *stream(): AsyncGenerator<ModelChunk> {
      if (step > 1) {
        yield { type: "text_delta", delta: `The call of ${name} was made by hand.` };
        return yield { type: "finish", stop_reason: "end_turn" };
      }
      yield { type: "tool_call_start", id: "by-hand", name };
      yield { type: "tool_call_ready", id: "by-hand", name, arguments: JSON.stringify(input) };
      yield { type: "finish", stop_reason: "tool_use" };
    },
  };
}
