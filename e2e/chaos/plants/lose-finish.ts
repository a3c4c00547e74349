import type { Plant } from "./plant.ts";
import { wrapTenants } from "./wrap-tenants.ts";

const EVERY = 8;
let ends = 0;

export const loseFinish: Plant = {
  story: "Some runs are ended in memory and stay open in the store.",
  breaks: "I5",
  faults: { kill: 1 },
  wrapStore: (store) =>
    wrapTenants(store, (real) => ({
      async commit(changeset, guard) {
        const ending =
          changeset.runs.some(({ status }) => status === "done") && changeset.reasons.includes("run_finished");
        if (!ending || guard.expected === "any" || !isChosen(changeset.run_id)) return real.commit(changeset, guard);
        return { version: guard.expected + 1 };
      },
    })),
};

const chosen = new Set<string | null>();

/** The same runs every time, so that they never end. */
function isChosen(runId: string | null): boolean {
  ends += 1;
  if (ends % EVERY === 0) chosen.add(runId);
  return chosen.has(runId);
}
