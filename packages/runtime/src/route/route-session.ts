import type { Cost, Modality, ModelErrorKind, TokenUsage } from "@reprise/contracts";
import type { AttemptGate } from "./attempt-gate.ts";

/** One try to get an answer from one model, or why there was none. */
export interface ModelAttempt {
  readonly attempt: number;
  readonly provider: string;
  readonly model: string;
  readonly outcome: "succeeded" | "failed" | "skipped";
  readonly usage?: TokenUsage;
  readonly cost?: Cost;
  readonly error?: ModelErrorKind;
  /** Why it was skipped. */
  readonly reason?: string;
}

/** After this many streams of one model broke in one inference, the next model is asked to go on. */
const BROKEN_STREAMS = 2;

/** The provider of the last answer. */
export function answeredBy(attempts: readonly ModelAttempt[]): string | undefined {
  return attempts.findLast(({ outcome }) => outcome === "succeeded")?.provider;
}

/** What happened to one inference on its way through a route, over all its requests. */
export class RouteSession {
  /** By which a pool chooses its home. */
  readonly stickyKey: string;
  /** Asked before every attempt. */
  readonly gate: AttemptGate | undefined;
  readonly attempts: ModelAttempt[] = [];
  /** Who could have been asked, in the order of preference. */
  candidates: readonly string[] = [];
  /** What the request asks of a model beside text. */
  requirements: readonly Modality[] = [];
  readonly #broken = new Map<string, number>();
  readonly #refreshed = new Set<string>();
  #provider: string | undefined;
  #hasChangedProvider = false;

  constructor(stickyKey: string, gate?: AttemptGate) {
    this.stickyKey = stickyKey;
    this.gate = gate;
  }

  get hasChangedProvider(): boolean {
    return this.#hasChangedProvider;
  }

  note(attempt: Omit<ModelAttempt, "attempt">): void {
    this.attempts.push({ attempt: this.attempts.length + 1, ...attempt });
  }

  /** Once another provider was asked, unmarked reasoning belongs to nobody any more. */
  enter(provider: string): void {
    if (this.#provider !== undefined && this.#provider !== provider) this.#hasChangedProvider = true;
    this.#provider = provider;
  }

  /** Once for each provider. */
  mayRefresh(provider: string): boolean {
    if (this.#refreshed.has(provider)) return false;
    this.#refreshed.add(provider);
    return true;
  }

  streamBroke(modelId: string): void {
    this.#broken.set(modelId, (this.#broken.get(modelId) ?? 0) + 1);
  }

  hasBroken(modelId: string): boolean {
    return (this.#broken.get(modelId) ?? 0) >= BROKEN_STREAMS;
  }
}
