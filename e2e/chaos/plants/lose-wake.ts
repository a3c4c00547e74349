import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

export const loseWake: Plant = {
  story: "Nobody looks at a question again when its time is up.",
  breaks: "I5",
  faults: { kill: 2 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      commit(changeset, guard) {
        const { wakes: _lost, ...rest } = changeset;
        return real.commit(rest, guard);
      },
    })),
};
