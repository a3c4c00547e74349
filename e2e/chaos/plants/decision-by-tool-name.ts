import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

export const decisionByToolName: Plant = {
  story: "A decision is taken for the first open call of the run, whichever it was made about.",
  breaks: "I7",
  faults: { kill: 1 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      async decide(decision, options) {
        const { items } = await real.listCalls({ run_id: decision.run_id, status: "suspended" });
        const first = items[0];
        if (first === undefined) return real.decide(decision, options);
        return real.decide({ ...decision, call_id: first.call_id, suspension: first.suspension }, options);
      },
    })),
};
