import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

const EVERY = 6;
let submissions = 0;

export const loseUserMessage: Plant = {
  story: "What the user said is missing from the first changeset of some runs.",
  breaks: "I1",
  faults: { kill: 1 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      submit(entry, claiming) {
        submissions += 1;
        if (claiming === undefined || submissions % EVERY > 0) return real.submit(entry, claiming);
        const messages = claiming.changeset.messages.slice(0, -1);
        return real.submit(entry, { ...claiming, changeset: { ...claiming.changeset, messages } });
      },
    })),
};
