import type { Plant } from "./plant.ts";

export const tellEndTwice: Plant = {
  story: "The end of a run in the background is told under a new key each time.",
  breaks: "I11",
  faults: { kill: 2 },
  trees: true,
  changes: [
    {
      file: "packages/runtime/src/loop/run-family.ts",
      from: "  await store.submit(newEntry(request,",
      to: `  const again = { priority: 0, dedupe_key: dedupe_key + "-again", sender_id: source };
  await store.submit(newEntry({ ...request, run_id: run_id + "-again" }, { ...again, busy_policy: "steer" }));
  await store.submit(newEntry(request,`,
    },
  ],
};
