import type { Json } from "@reprise/state";
import type { StoppedReason } from "../run/termination.ts";
import type { SnakeCased } from "../shape/stored-names.ts";

/** Stops a run although the model would continue. Zero disables a budget or a count of errors. */
export type StopCondition =
  /** Stops after this many steps. */
  | { readonly type: "max_rounds"; readonly rounds: number }
  /** Stops after this much active time. Time spent waiting for decisions does not count. */
  | { readonly type: "timeout"; readonly seconds: number }
  /** Counts prompt and completion tokens together. */
  | { readonly type: "token_budget"; readonly maxTotal: number }
  /** Stops after this many tool rounds in a row in which every call failed. */
  | { readonly type: "consecutive_errors"; readonly max: number }
  /** Stops after the model called this tool. The tool is executed first. */
  | { readonly type: "stop_on_tool"; readonly toolName: string }
  /** Stops when the model's text contains this text, literally. */
  | { readonly type: "content_match"; readonly pattern: string }
  /** Stops when two consecutive rounds within the window call the same tools. */
  | { readonly type: "loop_detection"; readonly window: number };

/** A `StopCondition` as it is stored. */
export type StopConditionSpec = SnakeCased<StopCondition>;

export type StopConditionType = StopConditionSpec["type"];

/** The progress of a run, as stop policies see it after each step and its tool round. */
export interface StopPolicyInput {
  readonly step: number;
  /** Milliseconds the run was worked on. */
  readonly elapsedMs: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The model's text in this step. */
  readonly text: string;
  /** The tools it called in this step, in order. */
  readonly tools: readonly string[];
  /** The tools of the last rounds, oldest first, this one included. */
  readonly recentTools: readonly (readonly string[])[];
  readonly consecutiveErrors: number;
  /** Whether the model called no tool. The run then ends naturally unless a policy gives another reason. */
  readonly isFinal: boolean;
  readonly state: Json;
}

/** A stop rule of your own. Must be pure. */
export interface StopPolicy {
  readonly id: string;
  /** False for a policy that reads the current step only. Without a policy that needs history, none is kept. */
  readonly needsHistory?: boolean;
  evaluate(input: StopPolicyInput): StoppedReason | undefined;
}
