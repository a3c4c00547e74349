import type { Env, Store } from "@reprise/contracts";
import { interceptStore } from "./intercept-store.ts";
import type { World } from "./open-runtime.ts";

/**
 * What a process has that stands still: its timers never go off and it hears of no work, while time continues for others.
 * What it was doing already still ends when its promises do, as that of a process that wakes up late.
 */
export function freezeProcess(world: World): { readonly env: Env; readonly store: Store } {
  const { now, mono } = world.env.clock;
  const sleep = () => new Promise<never>(() => undefined);
  const env = { ...world.env, clock: { now, mono, sleep, after: () => () => undefined } };
  const store = interceptStore(world.store, {
    operator: (inner) => ({
      watch: (listener) => inner.watch((signal) => (signal.kind === "commit" ? listener(signal) : undefined)),
    }),
  });
  return { env, store };
}
