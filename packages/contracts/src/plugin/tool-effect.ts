import type { Json } from "@reprise/state";
import type { SuspendOptions, SuspendRequest } from "../decision/suspend-ticket.ts";
import { toStoredKeys } from "../shape/stored-names.ts";
import type { ChildRun } from "../tool/child-runs.ts";
import type { ToolResult } from "../tool/tool-result.ts";
import type { PhaseAction } from "./phase-action.ts";

/** The types of action a tool may return. */
export const EFFECT_ACTIONS = [
  "state",
  "add_user_message",
  "add_system_reminder",
  "terminate",
  "hand_off",
  "schedule",
  "effect",
] as const;

/**
 * Something a tool asks the runtime to do besides answering. `terminate` ends the run after the round, `hand_off` gives it to another agent; the key of
 * `schedule` and `effect` is one that a plugin of the agent registered.
 */
export type EffectAction = PhaseAction<(typeof EFFECT_ACTIONS)[number]>;

/** A result together with actions. What a tool returns when a plain value is not enough. */
export interface ToolEffect {
  readonly result: ToolResult | Json | MarkedSuspension;
  readonly actions: readonly EffectAction[];
}

const EFFECT: unique symbol = Symbol.for("reprise.tool_effect");

/** Marks a returned object as an effect, so that a tool may return any JSON without being misread. */
export interface MarkedEffect extends ToolEffect {
  readonly [EFFECT]: true;
}

export function toolEffect(result: ToolEffect["result"], actions: readonly EffectAction[]): MarkedEffect {
  return { result, actions, [EFFECT]: true };
}

export function isToolEffect(value: unknown): value is MarkedEffect {
  return typeof value === "object" && value !== null && EFFECT in value;
}

const RESULT: unique symbol = Symbol.for("reprise.tool_result");

/** Marks a returned object as a whole result rather than data. */
export type MarkedResult = ToolResult & { readonly [RESULT]: true };

export function toolResult(result: ToolResult): MarkedResult {
  return { ...result, [RESULT]: true };
}

export function isToolResult(value: unknown): value is MarkedResult {
  return typeof value === "object" && value !== null && RESULT in value;
}

const SUSPENSION: unique symbol = Symbol.for("reprise.tool_suspension");

/** The value that a tool returns to ask a person before it continues. */
export interface MarkedSuspension {
  readonly request: SuspendRequest;
  readonly [SUSPENSION]: true;
}

/**
 * Suspends the call. After the decision the tool is executed again and finds the decision in its context, unless the
 * request has another resume mode.
 */
export function suspendTool(options: SuspendOptions): MarkedSuspension {
  return { request: toStoredKeys(options), [SUSPENSION]: true };
}

/** Suspends the call until a run below it is over. The result of the call says how that run ended. No process is held meanwhile. */
export function awaitRun({ runId, agentId }: Pick<ChildRun, "runId" | "agentId">): MarkedSuspension {
  const message = `Waits for run ${runId} of agent ${agentId}.`;
  return {
    request: { action: "run", message, resume_mode: "use_decision_as_tool_result", run_id: runId },
    [SUSPENSION]: true,
  };
}

/** Where a tool that waits stands, and when it looks again. */
export interface ExecuteLaterOptions {
  readonly delayMs: number;
  /** Shown to readers as the progress of the call. */
  readonly message?: string;
}

/**
 * Suspends the call for a time; then the tool is executed again, in any process. No process is held meanwhile, and no person is asked. A tool that
 * returns this promises that this next execution may be repeated: after a crash in it the tool is executed once more. The tool keeps its
 * progress in a state with the scope `tool_call`.
 */
export function executeLater({ delayMs, message }: ExecuteLaterOptions): MarkedSuspension {
  return {
    request: {
      action: "later",
      ...(message !== undefined && { message }),
      resume_mode: "replay_tool_call",
      expires_in_ms: delayMs,
      on_expiry: "execute",
    },
    [SUSPENSION]: true,
  };
}

export function isToolSuspension(value: unknown): value is MarkedSuspension {
  return typeof value === "object" && value !== null && SUSPENSION in value;
}
