import type { Plant } from "./plant.ts";

export const loseAnswer: Plant = {
  story: "The answer of a run that ends before the call above is suspended is dropped.",
  breaks: "I5",
  faults: { kill: 1 },
  trees: true,
  changes: [
    {
      file: "packages/runtime/src/loop/run-family.ts",
      from: "  await store.decide(decision, { early: true });",
      to: "  if (isSuspended && run_id.charCodeAt(8) % 2 === 0) await store.decide(decision, { early: true });",
    },
  ],
};
