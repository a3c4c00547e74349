import type { Clock } from "@reprise/contracts";

/** For what nothing but its time limit may end. */
export const NEVER: AbortSignal = new AbortController().signal;

/** The time for something was up. */
export class TimeIsUp extends Error {
  override readonly name = "TimeIsUp";
}

/**
 * Runs something for a limited time. When the time is up, or the run is aborted, the caller continues at once: a promise that
 * never settles blocks no caller. The work is told by its signal, where it takes one.
 */
export async function withTimeout<Value>(
  clock: Clock,
  outer: AbortSignal,
  timeoutMs: number | null,
  run: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  outer.throwIfAborted();
  // Most work takes no signal, and a controller costs more than such work.
  const controller = run.length === 0 ? undefined : new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<Value>();
  const stop = (reason: unknown): void => {
    controller?.abort(reason);
    reject(reason);
  };
  const onAbort = (): void => stop(outer.reason);
  outer.addEventListener("abort", onAbort, { once: true });
  const cancel =
    timeoutMs === null
      ? undefined
      : clock.after(timeoutMs, () => stop(new TimeIsUp(`It took longer than ${timeoutMs} ms.`)));
  try {
    // The first to happen counts: abandoned work may still fail later, without a listener.
    run(controller?.signal ?? NEVER).then(resolve, reject);
    return await promise;
  } finally {
    cancel?.();
    outer.removeEventListener("abort", onAbort);
  }
}
