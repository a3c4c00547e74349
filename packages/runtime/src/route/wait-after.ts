import type { ModelError } from "@reprise/contracts";
import type { RetrySettings } from "./route-entry.ts";

/** The longest wait that holds on to a run's claim. Who wants more time is left alone, and the run gives its claim back. */
export const LONGEST_WAIT_MS = 10_000;

/** What is known after an attempt that failed. */
export interface FailedAttempt {
  readonly settings: RetrySettings;
  /** Which attempt it was, from 1. */
  readonly attempt: number;
  /** Since the first one began. */
  readonly elapsedMs: number;
  /** In [0, 1). */
  readonly random: number;
}

/** How long to wait before the same model is asked again; undefined when it is not. */
export function waitAfter(error: ModelError, failed: FailedAttempt): number | undefined {
  const { settings, attempt, elapsedMs, random } = failed;
  const { maxAttempts, backoffMs, overloadedBackoffMs, maxBackoffMs, jitterPercent, maxWindowMs, growth } = settings;
  const isRetried = settings.isRetried?.(error) ?? error.isRetryable;
  if (attempt >= maxAttempts || !isRetried) return undefined;
  const first = error.kind === "overloaded" ? overloadedBackoffMs : backoffMs;
  const backoff = Math.min(first * (growth === "linear" ? attempt : 2 ** (attempt - 1)), maxBackoffMs);
  const jitter = 1 + (jitterPercent / 100) * (2 * random - 1);
  // A provider that says when it will be ready knows better than we do.
  const waitMs = Math.max(backoff * jitter, error.retryAfterMs ?? 0);
  if (waitMs > LONGEST_WAIT_MS) return undefined;
  return maxWindowMs === null || elapsedMs + waitMs <= maxWindowMs ? waitMs : undefined;
}
