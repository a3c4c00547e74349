import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

export const applyOtherArguments: Plant = {
  story: "What was approved is executed with the arguments that somebody else wrote.",
  breaks: "I7",
  faults: { kill: 1 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      async decide(decision, options) {
        if (decision.action !== "resume" || decision.result !== undefined) return real.decide(decision, options);
        // The client is told what it sent; what is stored is something else.
        await real.decide({ ...decision, arguments: { n: 13, pause_ms: 1 } }, options);
        return decision;
      },
    })),
};
