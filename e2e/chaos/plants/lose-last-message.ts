import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

export const loseLastMessage: Plant = {
  story: "The last result of a round is shown and not written.",
  breaks: "I9",
  faults: { kill: 2 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      commit(changeset, guard) {
        const isLast = changeset.messages.at(-1)?.role === "tool" && changeset.messages.length > 1;
        return real.commit(isLast ? { ...changeset, messages: changeset.messages.slice(0, -1) } : changeset, guard);
      },
    })),
};
