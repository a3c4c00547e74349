import type { Json } from "@reprise/state";
import type { Egress } from "../env/egress.ts";
import type { Cost } from "./cost.ts";
import type { ResponseMetadata } from "./model.ts";
import type { Modality, ModelPricing } from "./model-spec.ts";

/** What can be made beside text. */
export type MediaModality = Extract<Modality, "image" | "audio" | "video">;

/** A wish for one picture, one recording or one film. */
export interface MediaRequest {
  readonly prompt: string;
  readonly modality: MediaModality;
  /** Settings of the endpoint, in its own words: `size`, `quality`, … */
  readonly options: { readonly [key: string]: Json };
  readonly signal: AbortSignal;
  /** Gets what lies at an address the endpoint names. Absent where nothing may be fetched. */
  readonly download?: Egress["download"];
}

/** What was made. */
export interface GeneratedMedia {
  readonly content: Uint8Array;
  readonly media_type: string;
  /** By how much it is paid: pictures, or seconds. */
  readonly units: number;
  readonly response?: ResponseMetadata;
}

/**
 * A model that makes media at an endpoint of its own, in one answer.
 * - One request makes one thing; nothing is shown before it is whole.
 * - A failure is thrown as a `ModelError`.
 * - When the signal aborts, it ends soon.
 */
export interface MediaModel {
  readonly id: string;
  generate(request: MediaRequest): Promise<GeneratedMedia>;
}

const MICROCENTS_PER_DOLLAR = 100_000_000;

/** What some units of media cost. Nothing, and not priced, when nobody knows what one costs. */
export function mediaCostOf(units: number, pricing: ModelPricing | undefined): Cost {
  const price = pricing?.media_per_unit;
  if (price === undefined) return { microcents: 0, priced: false };
  return { microcents: Math.round(units * price * MICROCENTS_PER_DOLLAR), priced: true };
}

const SCHEME = "media://";

/** The handle under which messages name what was made: a blob that is media. */
export function mediaHandle(ref: string): string {
  return SCHEME + ref;
}

/** The blob a URL of ours names: `blob:…` itself, or `media://blob:…`. Other URLs are returned as they are, and name no blob. */
export function blobRefOf(url: string): string {
  return url.startsWith(SCHEME) ? url.slice(SCHEME.length) : url;
}
