import type { Json } from "@reprise/state";
import type { ChatOptions } from "../run/chat-options.ts";
import type { SnakeCased } from "../shape/stored-names.ts";

/** The prices of a model, in dollars. */
export interface ModelPrices {
  readonly inputPerMillion?: number;
  readonly outputPerMillion?: number;
  readonly cacheReadPerMillion?: number;
  readonly cacheWritePerMillion?: number;
  /** Dollars for one picture, or for one second of what is heard or seen. */
  readonly mediaPerUnit?: number;
}

/** `ModelPrices` as they are stored. */
export interface ModelPricing extends SnakeCased<ModelPrices> {}

export type Modality = "text" | "image" | "audio" | "video" | "pdf";

/** A named model: which provider, which of its models, what it can do and what it costs. */
export interface ModelDefinition {
  readonly id: string;
  readonly provider: string;
  /** The provider's own name for it. */
  readonly model: string;
  /** `chat` speaks and is asked step by step; `generative` makes media at an endpoint of its own. `chat` unless it is given. */
  readonly surface?: "chat" | "generative";
  readonly contextWindow?: number;
  readonly maxOutputTokens?: number;
  readonly modalities?: { readonly input?: readonly Modality[]; readonly output?: readonly Modality[] };
  /** `YYYY-MM` or `YYYY-MM-DD`. */
  readonly knowledgeCutoff?: string;
  readonly pricing?: ModelPrices;
  readonly chatOptions?: ChatOptions;
}

/** A `ModelDefinition` as it is stored. */
export interface ModelSpec extends SnakeCased<Omit<ModelDefinition, "pricing" | "chatOptions">> {
  readonly pricing?: ModelPricing;
  readonly chat_options?: { readonly [key: string]: Json };
}

/**
 * Several models under one id. Every thread has a home among them, chosen by weight, and goes back to it turn after turn: providers keep
 * what they have read. The others stand in for it.
 */
export interface ModelPool {
  readonly id: string;
  /** `weight` is the share of threads it is home to; 1 unless it is given. */
  readonly pool: readonly { readonly model: string; readonly weight?: number }[];
}
