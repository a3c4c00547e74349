import type { Claim } from "@reprise/contracts";
import { wrapMethods } from "../worker/wrap-methods.ts";
import type { Plant } from "./plant.ts";

/** The most a clock that only counts its own ticks continues in one of them. */
const TICK_MS = 20;

export const reviveLostLease: Plant = {
  story: "An owner that slept past its lease does not notice: its clock slept too, and a renewal is taken for granted.",
  breaks: "I6",
  faults: { hold: 8 },
  workers: 2,
  wrapStore: (store) => {
    const operator = wrapMethods(store.operator, ["renew"], async (_name, parameters, proceed) => {
      await proceed(...parameters);
      // The first parameter of a renewal: the claims that are asked for.
      return parameters[0] as readonly Claim[];
    });
    return { ...store, operator };
  },
  wrapClock(clock) {
    let elapsed = 0;
    let last = clock.mono();
    const tick = (): void => {
      const now = clock.mono();
      elapsed += Math.min(now - last, 2 * TICK_MS);
      last = now;
    };
    setInterval(tick, TICK_MS).unref();
    return {
      ...clock,
      mono() {
        tick();
        return elapsed;
      },
    };
  },
};
