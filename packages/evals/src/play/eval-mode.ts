/**
 * How a case is played.
 * - `verify`: everything is recorded, and must come to the same commits.
 * - `rescript`: models, tools and people answer from the recording, in order; the agent is today's.
 * - `rerun`: models are live. A call that was recorded has its recorded result; another is made only if it reads and that is allowed.
 * - `live`: models and tools are live.
 */
export const EVAL_MODES = ["verify", "rescript", "rerun", "live"] as const;
export type EvalMode = (typeof EVAL_MODES)[number];
