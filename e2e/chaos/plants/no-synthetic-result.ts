import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

export const noSyntheticResult: Plant = {
  story: "Calls that were cancelled with their run get no result.",
  breaks: "I9",
  faults: { kill: 1 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      commit(changeset, guard) {
        const cancelled = new Set(
          changeset.calls.filter(({ status }) => status === "cancelled").map(({ call_id }) => call_id),
        );
        const messages = changeset.messages.filter(({ tool_call_id = "" }) => !cancelled.has(tool_call_id));
        return real.commit({ ...changeset, messages }, guard);
      },
    })),
};
