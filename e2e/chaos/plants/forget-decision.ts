import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

const EVERY = 4;
let decisions = 0;

export const forgetDecision: Plant = {
  story: "Some decisions go to a live channel that nobody listens to.",
  breaks: "I1",
  faults: { kill: 1 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      async decide(decision, options) {
        decisions += 1;
        return decisions % EVERY === 0 ? decision : real.decide(decision, options);
      },
    })),
};
