import type { WorkRequest } from "@reprise/contracts";
import { wrapMethods } from "../worker/wrap-methods.ts";
import type { Plant } from "./plant.ts";

export const claimAnything: Plant = {
  story: "A process takes any work there is, also that of agents it does not know.",
  breaks: "I5",
  faults: { deploy: 3 },
  workers: 2,
  wrapStore: (store) => {
    const operator = wrapMethods(store.operator, ["claim"], (_name, [request], proceed) => {
      // The first parameter of a claim.
      const { abilities: _unsaid, ...rest } = request as WorkRequest;
      return proceed(rest);
    });
    return { ...store, operator };
  },
};
