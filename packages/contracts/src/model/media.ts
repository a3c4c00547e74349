import type { Json } from "@reprise/state";
import type { Egress } from "../env/egress.ts";
import type { Cost } from "./cost.ts";
import type { ResponseMetadata } from "./model.ts";
import type { Modality, ModelPricing } from "./model-spec.ts";

/** The kinds of media that models generate. */
export type MediaModality = Extract<Modality, "image" | "audio" | "video">;

/** A request for one picture, one recording or one film. */
export interface MediaRequest {
  readonly prompt: string;
  readonly modality: MediaModality;
  /** Settings of the endpoint under its own names: `size`, `quality`, … */
  readonly options: { readonly [key: string]: Json };
  readonly signal: AbortSignal;
  /** Fetches an address that the endpoint names. Absent when fetching is not allowed. */
  readonly download?: Egress["download"];
}

/** The generated media. */
export interface GeneratedMedia {
  readonly content: Uint8Array;
  readonly media_type: string;
  /** The billed quantity: pictures, or seconds. */
  readonly units: number;
  readonly response?: ResponseMetadata;
}

/** A job that generates media. It takes minutes, so it is asked about later, perhaps by another process. */
export interface MediaTicket {
  readonly job_id: string;
  /** When it is worth asking. */
  readonly poll_after_ms: number;
}

/** How a job stands. */
export type MediaJobStatus =
  | { readonly status: "running"; readonly poll_after_ms: number }
  | { readonly status: "done"; readonly media: GeneratedMedia };

/**
 * A model that generates media at an endpoint of its own, in one answer.
 * - One request generates one item. Nothing is shown before it is complete.
 * - A failure is thrown as a `ModelError`.
 * - When the signal aborts, the request ends soon.
 */
export interface MediaModel {
  readonly id: string;
  generate(request: MediaRequest): Promise<GeneratedMedia>;
  /** Starts a job, where the endpoint works with jobs. A model has both of these or neither. */
  submit?(request: MediaRequest): Promise<MediaTicket>;
  /** Asks about a job. A job that failed is thrown as a `ModelError`. After one that is retryable the job is asked about again. */
  poll?(jobId: string, request: Pick<MediaRequest, "signal" | "download">): Promise<MediaJobStatus>;
}

const MICROCENTS_PER_DOLLAR = 100_000_000;

/** The cost of some units of media. Zero and unpriced when the price is unknown. */
export function mediaCostOf(units: number, pricing: ModelPricing | undefined): Cost {
  const price = pricing?.media_per_unit;
  if (price === undefined) return { microcents: 0, priced: false };
  return { microcents: Math.round(units * price * MICROCENTS_PER_DOLLAR), priced: true };
}

const SCHEME = "media://";

/** The URL under which messages refer to generated media: a blob with the prefix `media://`. */
export function mediaHandle(ref: string): string {
  return SCHEME + ref;
}

/** The blob that a `blob:…` or `media://blob:…` URL names. Other URLs are returned unchanged. */
export function blobRefOf(url: string): string {
  return url.startsWith(SCHEME) ? url.slice(SCHEME.length) : url;
}
