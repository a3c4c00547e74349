import type { JournalSources } from "./journal-sources.ts";

/**
 * Waits for something to happen to a thread. Made before one looks, so that nothing happens unheard between the look and the
 * wait; `stop` when it is no longer needed.
 */
export interface ThreadChange {
  /** Resolves when something happened, or the signal was aborted. Rejects when the runtime is closed. */
  wait(): Promise<void>;
  stop(): void;
}

export function expectChange(
  { signals, closed }: JournalSources,
  tenant: string,
  threadId: string,
  signal?: AbortSignal,
): ThreadChange {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopListening = signals.listenTo(tenant, threadId, () => resolve());
  const onAbort = (): void => resolve();
  signal?.addEventListener("abort", onAbort, { once: true });
  return {
    wait: async () => {
      if (!closed.aborted) await promise;
      closed.throwIfAborted();
    },
    stop: () => {
      stopListening();
      signal?.removeEventListener("abort", onAbort);
    },
  };
}
