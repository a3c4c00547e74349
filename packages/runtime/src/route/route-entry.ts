import type { LanguageModel, ModelError, ModelSpec } from "@reprise/contracts";

/** How often and how patiently one entry is asked. */
export interface RetrySettings {
  /** Attempts in all; 1 is no retry. */
  readonly maxAttempts: number;
  readonly backoffMs: number;
  readonly overloadedBackoffMs: number;
  readonly maxBackoffMs: number;
  /** By how much a wait may be shorter or longer, so that many who failed together do not come back together. */
  readonly jitterPercent: number;
  /** No attempt begins later than this after the first one; null for no such limit. */
  readonly maxWindowMs: number | null;
  /** How waits grow from attempt to attempt: they double, unless `linear` is given. */
  readonly growth?: "linear" | "exponential";
  /** Which failures the same model is asked again after: those that are retryable, unless given. */
  readonly isRetried?: (error: ModelError) => boolean;
}

/** How an entry is asked where nothing is said of it. */
export const DEFAULT_RETRY: RetrySettings = {
  maxAttempts: 2,
  backoffMs: 250,
  overloadedBackoffMs: 250,
  maxBackoffMs: 2_000,
  jitterPercent: 20,
  maxWindowMs: 10_000,
};

export const ONE_ATTEMPT: RetrySettings = {
  maxAttempts: 1,
  backoffMs: 0,
  overloadedBackoffMs: 0,
  maxBackoffMs: 0,
  jitterPercent: 0,
  maxWindowMs: null,
};

/** One model that can be asked, in its place in a route. */
export interface RouteEntry {
  /** The provider whose cooldown it shares, and to which its reasoning belongs. */
  readonly provider: string;
  readonly modelId: string;
  readonly model: LanguageModel;
  /** What is known of the model; absent for one given by value. */
  readonly spec?: ModelSpec;
  readonly retry: RetrySettings;
  /** Gets a new key after one was refused; false when there is none to get. */
  readonly refreshAuth?: () => Promise<boolean>;
}
