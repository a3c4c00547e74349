import { pauseFor } from "../workload/pause-for.ts";
import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

const BEHIND_MS = 150;

export const finishBeforeCommit: Plant = {
  story: "The end of a run is shown while its commit is still under way.",
  breaks: "I8",
  faults: { kill: 6 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      async commit(changeset, guard) {
        if (!changeset.reasons.includes("run_finished") || guard.expected === "any")
          return real.commit(changeset, guard);
        void pauseFor(BEHIND_MS)
          .then(() => real.commit(changeset, guard))
          .catch(() => undefined);
        return { version: guard.expected + 1 };
      },
    })),
};
