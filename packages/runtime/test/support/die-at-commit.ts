import type { Env, Store } from "@reprise/contracts";
import { interceptStore } from "./intercept-store.ts";
import type { World } from "./open-runtime.ts";

export interface MortalProcess {
  readonly env: Env;
  readonly store: Store;
  readonly isDead: () => boolean;
}

/**
 * A process that hears of work, unlike a frozen one, and dies right before or right after its nth commit: nothing of it continues
 * from there, neither its promises nor its timers.
 */
export function dieAtCommit(world: World, nth: number, side: "before" | "after"): MortalProcess {
  let commits = 0;
  let isDead = false;
  const never = new Promise<never>(() => undefined);
  const { clock } = world.env;
  const env: Env = {
    ...world.env,
    clock: {
      now: clock.now,
      mono: clock.mono,
      sleep: async (ms, signal) => {
        await clock.sleep(ms, signal);
        if (isDead) await never;
      },
      after: (ms, callback) => clock.after(ms, () => (isDead ? undefined : callback())),
    },
  };
  const store = interceptStore(world.store, {
    tenant: (inner) => ({
      async commit(changeset, guard) {
        commits += 1;
        isDead ||= commits === nth;
        if (isDead && side === "before") return never;
        const committed = await inner.commit(changeset, guard);
        return isDead ? never : committed;
      },
    }),
    operator: (inner) => ({
      watch: (listener) => inner.watch((signal) => (isDead ? undefined : listener(signal))),
    }),
  });
  return { env, store, isDead: () => isDead };
}
