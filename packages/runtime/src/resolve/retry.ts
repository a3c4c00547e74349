import type { AgentSpec, RetryPolicy } from "@reprise/contracts";
import { toStoredNames } from "@reprise/contracts/shape";
import type { Json, JsonObject } from "@reprise/state";
import { DEFAULT_RETRY, type RetrySettings } from "../route/route-entry.ts";
import { unresolvable } from "./resolve-errors.ts";
import type { StreamLimits } from "./resolved-agent.ts";
import { findSectionProblem } from "./section-problem.ts";

export interface Retry {
  readonly settings: RetrySettings;
  readonly streamLimits?: StreamLimits;
  /** After this many broken streams of one model in one inference the next model is asked. */
  readonly brokenStreams: number;
  /** How long a run waits in all while no model can be asked. */
  readonly patienceMs: number;
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
    patience_ms: { type: "number", minimum: 0 },
  },
  additionalProperties: false,
};

const DEFAULT_MAX_RETRIES = 2;
const DEFAULT_BACKOFF_MS = 500;
const DEFAULT_OVERLOADED_BACKOFF_MS = 2_000;
const MAX_BACKOFF_MS = 8_000;
const DEFAULT_BROKEN_STREAMS = 2;
const DEFAULT_PATIENCE_MS = 600_000;

/** How one waits between the attempts of a chain's entry where nothing is said of it. */
export const DEFAULT_BACKOFF: Omit<RetrySettings, "maxAttempts" | "overloadedBackoffMs"> = {
  ...DEFAULT_RETRY,
  maxBackoffMs: MAX_BACKOFF_MS,
  maxWindowMs: null,
};

/** Whether an agent says itself how often its model is asked. */
export function hasRetry({ sections, llm_retry_policy }: AgentSpec): boolean {
  return sections[RETRY_SECTION] !== undefined || llm_retry_policy !== undefined;
}

/** The section `retry` or `llm_retry_policy`, whichever the agent has; the defaults of the policy when it has neither. */
export function readRetry(spec: AgentSpec): Retry {
  // Renaming keys leaves JSON JSON.
  const section = toStoredNames(spec.sections[RETRY_SECTION], RETRY_SCHEMA) as Json | undefined;
  if (section === undefined) return fromPolicy(spec.llm_retry_policy ?? {});
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
  const { max_retries = DEFAULT_MAX_RETRIES, max_stream_retries, stream_idle_timeout_secs, patience_ms } = section;
  const settings: RetrySettings = {
    maxAttempts: max_retries + 1,
    backoffMs: section.backoff_base_ms ?? DEFAULT_BACKOFF_MS,
    overloadedBackoffMs: section.overloaded_backoff_base_ms ?? DEFAULT_OVERLOADED_BACKOFF_MS,
    maxBackoffMs: MAX_BACKOFF_MS,
    jitterPercent: DEFAULT_RETRY.jitterPercent,
    maxWindowMs: null,
  };
  return {
    settings,
    brokenStreams: DEFAULT_BROKEN_STREAMS,
    patienceMs: patience_ms ?? DEFAULT_PATIENCE_MS,
    streamLimits: {
      ...(max_stream_retries !== undefined && { streamRetries: max_stream_retries }),
      ...(stream_idle_timeout_secs !== undefined && { idleTimeoutMs: stream_idle_timeout_secs * 1000 }),
    },
  };
}

function fromPolicy(policy: RetryPolicy): Retry {
  const maxAttempts =
    policy.retry_stream_start === false ? 1 : (policy.max_attempts_per_model ?? DEFAULT_RETRY.maxAttempts);
  const backoffMs = policy.initial_backoff_ms ?? DEFAULT_RETRY.backoffMs;
  const settings: RetrySettings = {
    maxAttempts,
    backoffMs,
    overloadedBackoffMs: backoffMs,
    maxBackoffMs: policy.max_backoff_ms ?? DEFAULT_RETRY.maxBackoffMs,
    jitterPercent: policy.backoff_jitter_percent ?? DEFAULT_RETRY.jitterPercent,
    maxWindowMs: policy.max_retry_window_ms ?? DEFAULT_RETRY.maxWindowMs,
  };
  const { max_stream_event_retries } = policy;
  return {
    settings,
    brokenStreams: policy.stream_error_fallback_threshold ?? DEFAULT_BROKEN_STREAMS,
    patienceMs: policy.patience_ms ?? DEFAULT_PATIENCE_MS,
    ...(max_stream_event_retries !== undefined && { streamLimits: { streamRetries: max_stream_event_retries } }),
  };
}
