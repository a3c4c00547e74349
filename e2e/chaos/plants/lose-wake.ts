import type { Plant } from "./plant.ts";

export const loseWake: Plant = {
  story: "Nobody looks at a question again when its time is up.",
  breaks: "I5",
  faults: { kill: 2 },
  changes: [
    {
      file: "packages/stores/src/kernel/apply-changeset.ts",
      from: "if (Number.isFinite(at) && !isAwaited) addWake(",
      to: "if (false) addWake(",
    },
  ],
};
