import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

export const wrongSnapshot: Plant = {
  story: "A snapshot is taken of a state that is one commit behind.",
  breaks: "I2",
  faults: { kill: 1 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      async commit(changeset, guard) {
        const committed = await real.commit(changeset, guard);
        if (changeset.reasons.includes("run_finished")) {
          await real.saveSnapshot(changeset.thread_id, { version: committed.version, state: {} });
        }
        return committed;
      },
    })),
};
