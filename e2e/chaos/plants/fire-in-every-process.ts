import type { Plant } from "./plant.ts";

export const fireInEveryProcess: Plant = {
  story: "Every process starts the runs of a schedule, under keys of its own.",
  breaks: "I12",
  faults: { kill: 4 },
  workers: 2,
  workflows: true,
  changes: [
    {
      file: "packages/server/src/triggers/open-schedules.ts",
      from: "        dedupe_key: key,",
      to: "        dedupe_key: key + Math.random(),",
    },
  ],
};
