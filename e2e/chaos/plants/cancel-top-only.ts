import type { Plant } from "./plant.ts";

export const cancelTopOnly: Plant = {
  story: "Cancelling a run leaves the runs below it alone.",
  breaks: "I11",
  faults: { kill: 4 },
  trees: true,
  changes: [
    {
      file: "packages/runtime/src/run/run-tree.ts",
      from: "    if (revision === 0) return;",
      to: "    return;",
    },
  ],
};
