import type { Cost, ModelErrorKind, TokenUsage } from "@reprise/contracts";

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

/** Asked before every attempt, with what is about to be sent where; throwing stops the request. */
export type BeforeAttempt = (attempt: { readonly provider: string; readonly model: string }) => Promise<void> | void;

/** After this many streams of one model broke in one inference, the next model is asked to go on. */
const BROKEN_STREAMS = 2;

/** What happened to one inference on its way through a route, over all its requests. */
export class RouteSession {
  /** By which a pool chooses its home. */
  readonly stickyKey: string;
  readonly beforeAttempt: BeforeAttempt | undefined;
  readonly attempts: ModelAttempt[] = [];
  readonly #broken = new Map<string, number>();
  readonly #refreshed = new Set<string>();
  #provider: string | undefined;
  #hasChangedProvider = false;

  constructor(stickyKey: string, beforeAttempt?: BeforeAttempt) {
    this.stickyKey = stickyKey;
    this.beforeAttempt = beforeAttempt;
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
