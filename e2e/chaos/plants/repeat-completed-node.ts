import type { Plant } from "./plant.ts";

export const repeatCompletedNode: Plant = {
  story: "A process that takes a workflow run up works on its completed tool nodes once more.",
  breaks: "I12",
  faults: { kill: 2 },
  workflows: true,
  changes: [
    {
      file: "packages/workflow/src/run/workflow-run.ts",
      from: "      if (record === undefined || isSettled(record)) continue;",
      to: '      if (record === undefined || (isSettled(record) && vertex.type !== "tool")) continue;',
    },
  ],
};
