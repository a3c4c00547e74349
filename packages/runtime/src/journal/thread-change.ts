import type { Services } from "../services.ts";

/**
 * Waits for something to happen to a thread. Made before one looks, so that nothing happens unheard between the look and the
 * wait; `stop` when it is no longer needed. Rejects when the runtime is closed.
 */
export interface ThreadChange {
  readonly happened: Promise<void>;
  stop(): void;
}

export function expectChange(
  { signals, closed }: Services,
  tenant: string,
  threadId: string,
  signal?: AbortSignal,
): ThreadChange {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // Not everybody who asks comes to wait.
  promise.catch(() => undefined);
  const stopListening = signals.listenTo(tenant, threadId, () => resolve());
  const onClosed = (): void => reject(closed.reason);
  const onAbort = (): void => resolve();
  if (closed.aborted) onClosed();
  closed.addEventListener("abort", onClosed, { once: true });
  signal?.addEventListener("abort", onAbort, { once: true });
  return {
    happened: promise,
    stop: () => {
      stopListening();
      closed.removeEventListener("abort", onClosed);
      signal?.removeEventListener("abort", onAbort);
    },
  };
}
