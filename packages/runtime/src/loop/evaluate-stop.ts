import {
  type Clock,
  describeThrown,
  RepriseError,
  type StopPolicy,
  type StopPolicyInput,
  type StoppedReason,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import type { EffectPort } from "../effects/port.ts";
import type { AgentView, Conversation, Outside, RunView, StateAccess } from "../run/ports.ts";
import { type StopHistory, stopHistory } from "../stop/stop-state.ts";
import { stepIdOf } from "../thread/derived-ids.ts";
import { isRoundFailed, type StepSummary } from "./summarise-step.ts";

/** The parts of a run that its stop policies look at. */
export interface StoppableRun
  extends Pick<RunView, "run">,
    Pick<AgentView, "agent">,
    Pick<Conversation, "modelMessages">,
    Outside,
    StateAccess {
  readonly activeTime: ActiveTime;
}

/**
 * Asks the agent's stop policies, in order, whether the run should stop here; the first that says so is heard. What they
 * need to know of earlier rounds is kept in the state, and only when one of them looks back.
 */
export function evaluateStop(
  workspace: StoppableRun,
  step: StepSummary,
  /** Whether the run has nothing more to do, so that a policy need not stop it. */
  isFinal: boolean,
): StoppedReason | undefined {
  const { stopPolicies } = workspace.agent;
  const input = { ...stopInput(workspace, step, stopPolicies), isFinal };
  if (stopPolicies.length === 0) return undefined;
  return workspace.effects.note({ kind: "stop", of: stepOf(workspace), encode: copyReason }, () => {
    for (const policy of stopPolicies) {
      const reason = ask(policy, input);
      if (reason !== undefined) return reason;
    }
    return undefined;
  });
}

function stepOf({ run }: Pick<RunView, "run">): string {
  return stepIdOf(run.run_id, run.steps);
}

/** A reason is made of text. */
function copyReason(reason: StoppedReason | undefined): Json | undefined {
  return reason === undefined ? undefined : { ...reason };
}

function stopInput(
  workspace: StoppableRun,
  step: StepSummary,
  policies: readonly StopPolicy[],
): Omit<StopPolicyInput, "isFinal"> {
  const { run } = workspace;
  const history = looksBack(policies) ? noteStep(workspace, step) : NO_HISTORY;
  return {
    step: run.steps,
    elapsedMs: history.active_ms,
    inputTokens: run.input_tokens,
    outputTokens: run.output_tokens,
    text: step.text,
    tools: step.tools,
    recentTools: history.recent_tools,
    consecutiveErrors: history.consecutive_errors,
    state: workspace.document,
  };
}

const NO_HISTORY = stopHistory.initial();

function looksBack(policies: readonly StopPolicy[]): boolean {
  return policies.some(({ needsHistory }) => needsHistory !== false);
}

/** Keeps the time a run was at work before it waits: the wait itself does not count. */
export function keepActiveTime(workspace: StoppableRun): void {
  if (!looksBack(workspace.agent.stopPolicies)) return;
  const { active_ms } = stopHistory.read(workspace.document);
  const rest = stopHistory.rest(active_ms + workspace.activeTime.take(stepOf(workspace)));
  workspace.addPatch("plugin:stop_policy", stopHistory.reduce(workspace.document, rest).ops);
  workspace.noteRunScoped([stopHistory.name]);
}

/** Adds a step to the history; once, also when a new owner evaluates it again. */
function noteStep(workspace: StoppableRun, { tools }: StepSummary): StopHistory {
  const before = stopHistory.read(workspace.document);
  const { steps } = workspace.run;
  if (before.noted_step === steps) return before;
  const active_ms = before.active_ms + workspace.activeTime.take(stepOf(workspace));
  const is_failed = tools.length > 0 && isRoundFailed(workspace, workspace.modelMessages());
  const note = stopHistory.note({ step: steps, active_ms, tools, is_failed });
  workspace.addPatch("plugin:stop_policy", stopHistory.reduce(workspace.document, note).ops);
  workspace.noteRunScoped([stopHistory.name]);
  return stopHistory.read(workspace.document);
}

/** A policy that fails also fails the run: without its bound the run must not continue. */
function ask(policy: StopPolicy, input: StopPolicyInput): StoppedReason | undefined {
  let reason: unknown;
  try {
    reason = policy.evaluate(input);
  } catch (error) {
    throw failed(policy, describeThrown(error), error);
  }
  if (reason === undefined || isReason(reason)) return reason;
  throw failed(policy, "it answered with something that is neither a reason nor undefined");
}

function isReason(value: unknown): value is StoppedReason {
  return typeof value === "object" && value !== null && "code" in value && typeof value.code === "string";
}

function failed({ id }: StopPolicy, problem: string, cause?: unknown): RepriseError {
  const details = { stop_policy: id };
  return new RepriseError("PLUGIN_FAILED", `Stop policy ${id} failed: ${problem}`, { cause, details });
}

/** Counts how long an activation is at work. */
export class ActiveTime {
  readonly #effects: EffectPort;
  readonly #clock: Pick<Clock, "mono">;
  #countedFrom: number;

  constructor(effects: EffectPort, clock: Pick<Clock, "mono">) {
    this.#effects = effects;
    this.#clock = clock;
    this.#countedFrom = clock.mono();
  }

  /** The milliseconds since this was last asked. */
  take(stepId: string): number {
    return this.#effects.note({ kind: "active_ms", of: stepId }, () => {
      const now = this.#clock.mono();
      const elapsed = Math.round(now - this.#countedFrom);
      this.#countedFrom = now;
      return elapsed;
    });
  }
}
