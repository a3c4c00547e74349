import type { Env, Store } from "@reprise/contracts";
import { freezeProcess } from "./frozen-env.ts";
import type { World } from "./open-runtime.ts";

export interface CrashingProcess {
  readonly env: Env;
  readonly store: Store;
  /** The point at which it died, if it has. */
  readonly diedAt: () => string | undefined;
}

/** A process that dies at the nth fault point it comes to: it never continues from there. */
export function crashAtPoint(world: World, nth: number): CrashingProcess {
  const { env, store } = freezeProcess(world);
  let passed = 0;
  let diedAt: string | undefined;
  const point = (name: string): Promise<void> | undefined => {
    passed += 1;
    if (passed < nth) return undefined;
    diedAt ??= `${name} (${nth})`;
    return new Promise(() => undefined);
  };
  return { env: { ...env, point }, store, diedAt: () => diedAt };
}
