import { pauseFor } from "../workload/pause-for.ts";
import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

const BEHIND_MS = 400;

export const acknowledgeBeforeCommit: Plant = {
  story: "A decision is acknowledged first and written a moment later.",
  breaks: "I1",
  faults: { kill: 6 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      async decide(decision, options) {
        void pauseFor(BEHIND_MS)
          .then(() => real.decide(decision, options))
          .catch(() => undefined);
        return decision;
      },
    })),
};
