import type { NodeRetry, WorkflowNode } from "../document/workflow-document.ts";
import type { NodeFailure } from "../node/node-executor.ts";

const BASE_MS = 1000;
const LONGEST_MS = 24 * 60 * 60 * 1000;

/** Failures of providers: the chain of an agent has tried them as often as its node allows. */
const RETRIED_BY_CHAIN: ReadonlySet<string> = new Set(["provider_rate_limit", "provider_unavailable", "provider_auth"]);

/** How long to wait before a node is tried again; undefined when it is not. `attempt` is the one that failed. */
export function retryDelay(
  { type, retry }: Pick<WorkflowNode, "type" | "retry">,
  error: NodeFailure,
  attempt: number,
): number | undefined {
  if (retry === undefined || attempt >= retry.max || !mayRetry(retry, error)) return undefined;
  if (type === "agent" && RETRIED_BY_CHAIN.has(error.code)) return undefined;
  const { backoff = "exponential", backoff_ms = BASE_MS } = retry;
  const factor = backoff === "linear" ? attempt : 2 ** (attempt - 1);
  return Math.min(backoff_ms * factor, LONGEST_MS);
}

function mayRetry({ retry_on }: NodeRetry, { code, retryable }: NodeFailure): boolean {
  return retry_on === undefined ? retryable : retry_on.includes(code);
}
