import {
  activeAgentOf,
  type BudgetFact,
  type BudgetNotice,
  type LanguageModel,
  type MessageInput,
  type PluginAnswer,
  type PluginInference,
  RepriseError,
  type TokenUsage,
} from "@reprise/contracts";
import { countTokens, recordCost } from "../budget/record-cost.ts";
import { type GatedRun, isGated, RunGate } from "../budget/run-gate.ts";
import { loaderOf } from "../media/blobs.ts";
import type { AgentSource } from "../resolve/agents.ts";
import { lookUpModel } from "../resolve/look-up-model.ts";
import { AttemptRefused } from "../route/attempt-gate.ts";
import type { RoutedRequest } from "../route/model-route.ts";
import { ModelUnavailable } from "../route/model-unavailable.ts";
import { answeredBy, type ModelAttempt, RouteSession } from "../route/route-session.ts";
import type { AgentView, EventSink, Host, HostServices, Outside, RunEditor, RunView } from "../run/ports.ts";
import { stepIdOf } from "../thread/derived-ids.ts";
import { tenantKey } from "../thread/tenant-key.ts";
import { runTurn } from "../turn/run-turn.ts";
import type { Turn } from "../turn/turn.ts";

/** The parts of a run that a plugin's question to a model goes through. */
export interface InferringRun extends RunView, Pick<AgentView, "agent">, Host, Pick<GatedRun, "budget"> {
  readonly services: HostServices &
    GatedRun["services"] & {
      readonly agents: AgentSource;
      readonly inferences: PluginInferences;
      readonly closed: AbortSignal;
    };
}

/** What asking a model for a plugin took. */
export interface SpentInference {
  readonly plugin: string;
  readonly attempts: readonly ModelAttempt[];
  readonly usage?: TokenUsage;
  /** What the budget had to say meanwhile. */
  readonly notices?: readonly (BudgetFact & { readonly reason: BudgetNotice })[];
}

/** So many threads whose plugins asked something and that were never worked on again. */
const MOST_THREADS = 1_000;

/**
 * What plugins spent on models and no run has counted yet, by thread. A phase counts everything that is over when its hooks have answered;
 * a question that outlives its run is counted by the next run of the thread.
 */
export class PluginInferences {
  readonly #spent = new Map<string, SpentInference[]>();

  add({ claim, run }: Pick<RunView, "claim" | "run">, spent: SpentInference): void {
    const key = tenantKey(claim.tenant, run.thread_id);
    const known = this.#spent.get(key);
    if (known !== undefined) known.push(spent);
    else this.#spent.set(key, [spent]);
    const [oldest] = this.#spent.keys();
    if (this.#spent.size > MOST_THREADS && oldest !== undefined) this.#spent.delete(oldest);
  }

  take({ claim, run }: Pick<RunView, "claim" | "run">): readonly SpentInference[] {
    if (this.#spent.size === 0) return NOTHING;
    const key = tenantKey(claim.tenant, run.thread_id);
    const spent = this.#spent.get(key) ?? NOTHING;
    this.#spent.delete(key);
    return spent;
  }
}

const NOTHING: readonly SpentInference[] = [];

/** Under this name a phase stores what its run pays for. */
export const INFERENCES = "inferences";

/** What is over and not counted yet. In a replay, what was counted at this place then. */
export function takeInferences(workspace: InferringRun & Outside, place: string): readonly SpentInference[] {
  const { effects, services } = workspace;
  const take = (): readonly SpentInference[] => services.inferences.take(workspace);
  return effects.recordOwn(place, INFERENCES, take) ?? NOTHING;
}

/** The parts of a run that its plugins' questions are counted in. */
export type CountedRun = Pick<RunEditor, "run" | "setRun"> & Pick<EventSink, "emit">;

/** Has a run pay for what its plugins asked. */
export function countInferences(workspace: CountedRun, inferences: readonly SpentInference[]): void {
  const { run_id, steps } = workspace.run;
  const stepId = steps === 0 ? undefined : stepIdOf(run_id, steps);
  for (const { plugin, attempts, usage = {}, notices = [] } of inferences) {
    for (const notice of notices) workspace.emit("budget_warning", notice, stepId);
    for (const attempt of attempts) recordCost(workspace, stepId, attempt, plugin);
    countTokens(workspace, usage);
  }
}

/** Where in a run a plugin asks: names its attempts in the budget and its messages. */
export interface AskedFrom {
  readonly plugin: string;
  readonly place: string;
}

const DEFAULT_MAX_TOKENS = 1_024;

/** Asks a model what a plugin wants to know, by way of the agent's route and the run's budget. */
export async function inferForPlugin(
  workspace: InferringRun,
  from: AskedFrom,
  question: PluginInference,
): Promise<PluginAnswer> {
  assertMessages(from.plugin, question.messages);
  const { run, services, signal } = workspace;
  const model = modelFor(workspace, from.plugin, question.model);
  const notices: NonNullable<SpentInference["notices"]>[number][] = [];
  // Said when the run counts it, where a replay says it too.
  const emit: EventSink["emit"] = (type, data) => {
    if (type === "budget_warning") notices.push(data as (typeof notices)[number]);
  };
  const { claim, budget } = workspace;
  const gate = isGated(workspace) ? new RunGate({ run, claim, budget, services, emit }, "", from.place) : undefined;
  const standIn = services.recordedWorld?.inference({ runId: run.run_id, of: from.place, plugin: from.plugin });
  const session = new RouteSession(run.thread_id, { gate, standIn });
  let turn: Turn | undefined;
  try {
    const request: RoutedRequest = {
      system: question.system ?? "",
      messages: question.messages.map((message, index) => ({ ...message, id: `${from.place}-m${index}` })),
      tools: [],
      options: optionsFor(workspace, question),
      load: loaderOf(services.blobs, claim.tenant),
      signal: AbortSignal.any([signal, services.closed]),
      session,
    };
    turn = await takeTurn(workspace, model, request);
    const { text, stop_reason: stopReason, usage } = turn;
    return { text, model: answeredBy(session.attempts)?.model ?? model.id, stopReason, usage };
  } catch (error) {
    if (error instanceof ModelUnavailable) throw error.failure;
    throw error instanceof AttemptRefused ? error.reason : error;
  } finally {
    await gate?.close();
    const { attempts } = session;
    if (attempts.length > 0 || notices.length > 0) {
      const usage = turn === undefined ? {} : { usage: turn.usage };
      services.inferences.add(workspace, {
        plugin: from.plugin,
        attempts,
        ...usage,
        ...(notices.length > 0 && { notices }),
      });
    }
  }
}

function takeTurn({ agent, services }: InferringRun, model: LanguageModel, request: RoutedRequest): Promise<Turn> {
  const { env, limits } = services;
  return runTurn({
    model,
    request,
    // The plugin judges an answer that was cut off; it is not continued.
    recovery: { interruptions: agent.streamLimits?.streamRetries ?? limits.streamRetries, truncations: 0 },
    show: () => undefined,
    idleTimeoutMs: agent.streamLimits?.idleTimeoutMs ?? limits.modelIdleTimeoutMs,
    after: (ms, callback) => env.clock.after(ms, callback),
    sleep: (ms, signal) => env.clock.sleep(ms, signal),
  });
}

function modelFor({ agent, services, run }: InferringRun, plugin: string, named: string | undefined): LanguageModel {
  if (named !== undefined) return services.agents.model(activeAgentOf(run), named);
  if (agent.media === undefined) return agent.model;
  const message = `Plugin ${plugin} asks the model of agent ${activeAgentOf(run)}, which makes media. Name a language model.`;
  throw new RepriseError("INVALID_ACTION", message, { details: { plugin } });
}

function optionsFor(
  { agent, services, run }: InferringRun,
  { model, maxTokens = DEFAULT_MAX_TOKENS }: PluginInference,
): RoutedRequest["options"] {
  const spec =
    model === undefined
      ? agent.modelSpec
      : lookUpModel(services.agents.registries, activeAgentOf(run), model).modelSpec;
  const { max_output_tokens: most = Infinity, chat_options } = spec ?? {};
  return { ...chat_options, max_tokens: Math.min(maxTokens, most) };
}

/** Only the operator's words are in the system role, and results belong to calls, which a plugin cannot make. */
function assertMessages(plugin: string, messages: readonly MessageInput[]): void {
  const isFit = messages.length > 0 && messages.every(({ role }) => role === "user" || role === "assistant");
  if (isFit) return;
  const message = `Plugin ${plugin} must ask a model with at least one message, each of the role user or assistant.`;
  throw new RepriseError("INVALID_ACTION", message, { details: { plugin } });
}
