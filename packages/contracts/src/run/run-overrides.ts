import type { Json } from "@reprise/state";
import { named, type ObjectShape, objectOf, optional } from "../shape/object-shape.ts";
import { nonEmptyText, oneOf, recordOf, text, unchecked } from "../shape/shape.ts";
import type { ChatOptions } from "./chat-options.ts";

/**
 * How the calls of one step are executed.
 * - `sequential`: one at a time; a call that waits for a decision blocks those after it.
 * - `parallel_batch_approval`: by class; decisions take effect when the round is over.
 * - `parallel_streaming`: by class; a decision lets its call start while others still run.
 */
export type ToolExecutionMode = "sequential" | "parallel_batch_approval" | "parallel_streaming";

/** The model settings that a client may choose. Settings of a single provider are reserved for the operator. */
const CLIENT_CHAT_OPTIONS: readonly string[] = [
  "temperature",
  "top_p",
  "top_k",
  "max_tokens",
  "stop_sequences",
  "seed",
  "presence_penalty",
  "frequency_penalty",
  "reasoning_effort",
];

/** The differences between one run and its agent. Only for agents with `clientOverrides`. */
export interface RunOverrideOptions {
  /** The id of a model. */
  readonly model?: string;
  readonly instructions?: string;
  readonly toolExecutionMode?: ToolExecutionMode;
  readonly chatOptions?: ChatOptions;
}

/** `RunOverrideOptions` as clients send them and stores keep them. */
export interface RunOverrides {
  /** The id of a model. */
  readonly model?: string;
  readonly system_prompt?: string;
  readonly config?: {
    readonly tool_execution_mode?: ToolExecutionMode;
    readonly chat_options?: { readonly [key: string]: Json };
  };
}

/** The values that clients may choose. Whether the agent allows it is checked later. */
export const RUN_OVERRIDES: ObjectShape<RunOverrides> = objectOf<RunOverrides>({
  model: optional(nonEmptyText),
  system_prompt: named(optional(text), "systemPrompt", "system_prompt"),
  config: optional(
    objectOf<NonNullable<RunOverrides["config"]>>({
      tool_execution_mode: optional(oneOf("sequential", "parallel_batch_approval", "parallel_streaming")),
      chat_options: optional(recordOf(unchecked<Json>(), oneOf(...CLIENT_CHAT_OPTIONS))),
    }),
  ),
});
