import type { MessageInput } from "../message/message.ts";
import type { StopReason, TokenUsage } from "../model/model.ts";
import type { OperatorText } from "./operator-text.ts";

/** A question of a plugin to a model, outside of the steps of its run. */
export interface PluginInference {
  /** The id of a model the runtime knows; without it the agent's own, with its fallbacks. */
  readonly model?: string;
  readonly system?: OperatorText;
  /** Messages of the roles `user` and `assistant`. */
  readonly messages: readonly MessageInput[];
  /** The most the answer may have: 1,024. */
  readonly maxTokens?: number;
}

/** The answer of the model. */
export interface PluginAnswer {
  readonly text: string;
  /** The model that answered. */
  readonly model: string;
  /** `max_tokens` for an answer that was cut off. */
  readonly stopReason: StopReason;
  readonly usage: TokenUsage;
}
