import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

let retries = 0;

export const retryWithNewChangesetId: Plant = {
  story: "A commit whose answer got lost is tried again under a new id.",
  breaks: "I3",
  faults: { kill: 1 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      async commit(changeset, guard) {
        const committed = await real.commit(changeset, guard);
        if (changeset.run_id !== null) return committed;
        retries += 1;
        const again = { ...changeset, changeset_id: `${changeset.changeset_id}-again-${retries}` };
        await real.commit(again, { ...guard, expected: "any" }).catch(() => undefined);
        return committed;
      },
    })),
};
