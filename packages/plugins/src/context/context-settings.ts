import {
  flag,
  listOf,
  nonEmptyText,
  type ObjectShape,
  objectOf,
  oneOf,
  optional,
  wholeNumberFrom,
} from "@reprise/contracts/shape";

export interface ContextPluginOptions {
  /** Whether old messages are summarised when requests become large: true. */
  readonly compact?: boolean;
  /** The size of a request, in tokens, from which on it is compacted: `autocompactThreshold` of the context policy, or 80 % of the window. */
  readonly thresholdTokens?: number;
  /** The id of the model that summarises; the agent's own unless given. */
  readonly summaryModel?: string;
  /** The most a summary may have: 1,024 tokens. */
  readonly summaryMaxTokens?: number;
  /** Replaces the instructions for the model that summarises. */
  readonly summaryPrompt?: string;
  /** A summary that saves less than this is not used: 1,024 tokens. */
  readonly minGainTokens?: number;
  /** How long a request that no longer fits waits for its summary: 20,000 ms. */
  readonly waitMs?: number;
  /** Files that every request contains, such as `AGENTS.md`. */
  readonly instructionFiles?: readonly string[];
  /** The folder of relative paths; the working folder of the process unless given. */
  readonly instructionRoot?: string;
  /** Where the files stand: in the user's position, or in the system text. Only files that the operator alone can write belong there. */
  readonly instructionRole?: "user" | "system";
  /** Of each file, so many bytes are used: 32,768. */
  readonly instructionMaxBytes?: number;
}

/** `ContextPluginOptions` as they are stored. */
export interface ContextSettings {
  readonly compact?: boolean;
  readonly threshold_tokens?: number;
  readonly summary_model?: string;
  readonly summary_max_tokens?: number;
  readonly summary_prompt?: string;
  readonly min_gain_tokens?: number;
  readonly wait_ms?: number;
  readonly instruction_files?: readonly string[];
  readonly instruction_root?: string;
  readonly instruction_role?: "user" | "system";
  readonly instruction_max_bytes?: number;
}

const MOST_FILES = 20;

/** The shape of the section `context`. */
export const CONTEXT_SETTINGS: ObjectShape<ContextSettings> = objectOf<ContextSettings>({
  compact: optional(flag, "Whether old messages are summarised when requests become large. True unless given."),
  threshold_tokens: optional(wholeNumberFrom(1), "The size of a request from which on it is compacted."),
  summary_model: optional(nonEmptyText, "The model that summarises; the agent's own unless given."),
  summary_max_tokens: optional(wholeNumberFrom(1), "The most a summary may have. 1024 unless given."),
  summary_prompt: optional(nonEmptyText, "Replaces the instructions for the model that summarises."),
  min_gain_tokens: optional(wholeNumberFrom(0), "A summary that saves less is not used. 1024 unless given."),
  wait_ms: optional(
    wholeNumberFrom(0),
    "How long a request that no longer fits waits for its summary. 20000 unless given.",
  ),
  instruction_files: optional(listOf(nonEmptyText, MOST_FILES), "Files that every request contains."),
  instruction_root: optional(nonEmptyText, "The folder of relative paths; the working folder unless given."),
  instruction_role: optional(
    oneOf("user", "system"),
    "Where the files stand: `user` unless given, or `system` for files that the operator alone can write.",
  ),
  instruction_max_bytes: optional(wholeNumberFrom(1), "Of each file, so many bytes are used. 32768 unless given."),
});
