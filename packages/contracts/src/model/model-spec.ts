import type { Json } from "@reprise/state";

export interface ModelPricing {
  readonly input_per_million?: number;
  readonly output_per_million?: number;
  readonly cache_read_per_million?: number;
  readonly cache_write_per_million?: number;
  /** Dollars for one picture, or for one second of what is heard or seen. */
  readonly media_per_unit?: number;
}

export type Modality = "text" | "image" | "audio" | "video" | "pdf";

/** A named model: which provider, which of its models, what it can do and what it costs. */
export interface ModelSpec {
  readonly id: string;
  readonly provider: string;
  /** The provider's own name for it. */
  readonly model: string;
  /** `chat` speaks and is asked step by step; `generative` makes media at an endpoint of its own. `chat` unless it is given. */
  readonly surface?: "chat" | "generative";
  readonly context_window?: number;
  readonly max_output_tokens?: number;
  readonly modalities?: { readonly input?: readonly Modality[]; readonly output?: readonly Modality[] };
  /** `YYYY-MM` or `YYYY-MM-DD`. */
  readonly knowledge_cutoff?: string;
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
