import type { NodeRetry } from "../document/workflow-document.ts";
import type { FailedNode, NodeFailure } from "../node/node-executor.ts";

const BASE_MS = 1000;
const LONGEST_MS = 24 * 60 * 60 * 1000;

/** How long to wait before a node is tried again; undefined when it is not. `attempt` is the one that failed. */
export function retryDelay(
  retry: NodeRetry | undefined,
  { error, isSpent, retryAfterMs = 0 }: Omit<FailedNode, "kind">,
  attempt: number,
): number | undefined {
  if (retry === undefined || isSpent === true || attempt >= retry.max || !mayRetry(retry, error)) return undefined;
  const { backoff = "exponential", backoff_ms = BASE_MS } = retry;
  const factor = backoff === "linear" ? attempt : 2 ** (attempt - 1);
  return Math.min(Math.max(backoff_ms * factor, retryAfterMs), LONGEST_MS);
}

function mayRetry({ retry_on }: NodeRetry, { code, retryable }: NodeFailure): boolean {
  return retry_on === undefined ? retryable : retry_on.includes(code);
}
