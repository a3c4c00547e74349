import { useSyncExternalStore } from "react";

/** The requests that the server does not answer now. Each is sent again until it does. */
const unanswered = new Set<object>();
const listeners = new Set<() => void>();

/** Whether the server answers. */
export function useIsConnected(): boolean {
  return useSyncExternalStore(subscribe, () => unanswered.size === 0);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function change(apply: () => void): void {
  const before = unanswered.size;
  apply();
  if ((before === 0) !== (unanswered.size === 0)) for (const listener of listeners) listener();
}

const LONGEST_PAUSE_MS = 3000;

/**
 * `fetch` that does not give up while the server is away. What is posted carries an idempotency key, so it counts once however often it
 * was sent.
 */
export async function persistentFetch(input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (init.method === "POST") headers.set("idempotency-key", crypto.randomUUID());
  const request = { ...init, headers };
  try {
    for (let failures = 1; ; failures++) {
      const response = await fetch(input, request).catch((error: unknown) => {
        // A request that was called off stays so; every other failure of `fetch` is one of the network.
        if (init.signal?.aborted) throw error;
        return undefined;
      });
      if (response !== undefined && !isAway(response)) return response;
      change(() => unanswered.add(request));
      await pause(Math.min(125 * 2 ** failures, LONGEST_PAUSE_MS), init.signal);
    }
  } finally {
    change(() => unanswered.delete(request));
  }
}

/** Whether it is the answer of a proxy whose server is away: errors of the server itself are JSON. */
function isAway({ status, headers }: Response): boolean {
  return status >= 502 || (status === 500 && !headers.get("content-type")?.includes("json"));
}

function pause(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(end, ms);
    signal?.addEventListener("abort", end);
    function end() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    }
  });
}
