import type { Json } from "@reprise/state";
import type { StoppedReason } from "../run/termination.ts";
import type { SnakeCased } from "../shape/stored-names.ts";

/** When a run stops although the model would go on. Zero switches a budget or a count of errors off. */
export type StopCondition =
  /** After this many steps. */
  | { readonly type: "max_rounds"; readonly rounds: number }
  /** After this long at work; the time a run waits for decisions does not count. */
  | { readonly type: "timeout"; readonly seconds: number }
  /** Prompt and completion tokens together. */
  | { readonly type: "token_budget"; readonly maxTotal: number }
  /** After this many tool rounds in a row in which every call failed. */
  | { readonly type: "consecutive_errors"; readonly max: number }
  /** When the model called this tool. The tool is executed first. */
  | { readonly type: "stop_on_tool"; readonly toolName: string }
  /** When the model's text holds this text, literally. */
  | { readonly type: "content_match"; readonly pattern: string }
  /** When two rounds in a row among the last ones ask for the same tools. */
  | { readonly type: "loop_detection"; readonly window: number };

/** A `StopCondition` as it is stored. */
export type StopConditionSpec = SnakeCased<StopCondition>;

export type StopConditionType = StopConditionSpec["type"];

/** What a run has done so far, as stop policies see it after each step and its tool round. */
export interface StopPolicyInput {
  readonly step: number;
  /** Milliseconds the run was worked on. */
  readonly elapsedMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** What the model said in this step. */
  readonly text: string;
  /** The tools it called in this step, in order. */
  readonly tools: readonly string[];
  /** The tools of the last rounds, oldest first, this one included. */
  readonly recentTools: readonly (readonly string[])[];
  readonly consecutiveErrors: number;
  /** Whether the model asked for nothing more: the run ends naturally unless a policy has another word for it. */
  readonly isFinal: boolean;
  readonly state: Json;
}

/** A rule of your own. Pure. */
export interface StopPolicy {
  readonly id: string;
  /** False for a policy that looks at the step alone. When none looks further back, nothing is kept for them. */
  readonly needsHistory?: boolean;
  evaluate(input: StopPolicyInput): StoppedReason | undefined;
}
