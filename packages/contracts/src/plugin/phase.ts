/**
 * The boundaries of the loop at which plugins act, in the order of a step. `run_start` and `run_end` are once per activation;
 * the tool phases are once per call.
 */
export const PHASES = [
  "run_start",
  "step_start",
  "before_inference",
  "after_inference",
  "step_end",
  "before_tool_execute",
  "after_tool_execute",
  "run_end",
] as const;

export type Phase = (typeof PHASES)[number];
