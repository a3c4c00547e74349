import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

export const leaveOutEffects: Plant = {
  story: "What a tool answered is not in the recording.",
  breaks: "I10",
  faults: { kill: 1 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      commit(changeset, guard) {
        const effects = changeset.effects?.filter(({ kind }) => kind !== "execute");
        return real.commit(effects === undefined ? changeset : { ...changeset, effects }, guard);
      },
    })),
};
