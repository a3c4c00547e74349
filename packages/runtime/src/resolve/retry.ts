import type { AgentSpec, RetryPolicy } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import type { RetrySettings } from "../route/route-entry.ts";
import { unresolvable } from "./resolve-errors.ts";
import type { StreamLimits } from "./resolved-agent.ts";
import { findSectionProblem } from "./section-problem.ts";

export interface Retry {
  /** Absent: one attempt. */
  readonly settings?: RetrySettings;
  readonly streamLimits?: StreamLimits;
}

/** The section the resolver itself reads. */
export const RETRY_SECTION = "retry";

/** What the section `retry` may say. */
const RETRY_SCHEMA: JsonObject = {
  type: "object",
  properties: {
    max_retries: { type: "integer", minimum: 0 },
    backoff_base_ms: { type: "number", minimum: 0 },
    overloaded_backoff_base_ms: { type: "number", minimum: 0 },
    max_stream_retries: { type: "integer", minimum: 0 },
    stream_idle_timeout_secs: { type: "number", exclusiveMinimum: 0 },
  },
  additionalProperties: false,
};

const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_BACKOFF_MS = 500;
const DEFAULT_OVERLOADED_BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 8_000;
const JITTER_PERCENT = 20;

/** How one waits between attempts where nothing is said of it. */
export const DEFAULT_BACKOFF: Omit<RetrySettings, "maxAttempts" | "overloadedBackoffMs"> = {
  backoffMs: 250,
  maxBackoffMs: MAX_BACKOFF_MS,
  jitterPercent: JITTER_PERCENT,
  maxWindowMs: null,
};

/** The section `retry` or `llm_retry_policy`, whichever the agent has; neither means one attempt. */
export function readRetry(spec: AgentSpec): Retry {
  const section = spec.sections[RETRY_SECTION];
  if (section === undefined) return spec.llm_retry_policy === undefined ? {} : fromPolicy(spec.llm_retry_policy);
  if (spec.llm_retry_policy !== undefined) {
    const problem = "it has both the section `retry` and `llm_retry_policy`. Keep one of them.";
    throw unresolvable("INVALID_PLUGIN_CONFIG", spec.id, problem, { section: RETRY_SECTION });
  }
  const problem = findSectionProblem(RETRY_SCHEMA, section);
  if (problem !== undefined) {
    const details = { section: RETRY_SECTION };
    throw unresolvable("INVALID_PLUGIN_CONFIG", spec.id, `the section \`retry\` does not fit: ${problem}.`, details);
  }
  // Checked by the schema above.
  return fromSection(section as { readonly [key: string]: number });
}

function fromSection(section: { readonly [key: string]: number }): Retry {
  const { max_retries = DEFAULT_MAX_RETRIES, max_stream_retries, stream_idle_timeout_secs } = section;
  const settings: RetrySettings = {
    maxAttempts: max_retries + 1,
    backoffMs: section.backoff_base_ms ?? DEFAULT_BACKOFF_MS,
    overloadedBackoffMs: section.overloaded_backoff_base_ms ?? DEFAULT_OVERLOADED_BACKOFF_MS,
    maxBackoffMs: MAX_BACKOFF_MS,
    jitterPercent: JITTER_PERCENT,
    maxWindowMs: null,
  };
  return {
    ...(max_retries > 0 && { settings }),
    streamLimits: {
      ...(max_stream_retries !== undefined && { streamRetries: max_stream_retries }),
      ...(stream_idle_timeout_secs !== undefined && { idleTimeoutMs: stream_idle_timeout_secs * 1000 }),
    },
  };
}

function fromPolicy(policy: RetryPolicy): Retry {
  const maxAttempts = policy.retry_stream_start === false ? 1 : (policy.max_attempts_per_model ?? 2);
  const backoffMs = policy.initial_backoff_ms ?? 250;
  const settings: RetrySettings = {
    maxAttempts,
    backoffMs,
    overloadedBackoffMs: backoffMs,
    maxBackoffMs: policy.max_backoff_ms ?? 2_000,
    jitterPercent: policy.backoff_jitter_percent ?? JITTER_PERCENT,
    maxWindowMs: policy.max_retry_window_ms ?? 10_000,
  };
  const { max_stream_event_retries } = policy;
  return {
    ...(maxAttempts > 1 && { settings }),
    ...(max_stream_event_retries !== undefined && { streamLimits: { streamRetries: max_stream_event_retries } }),
  };
}
