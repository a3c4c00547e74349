import type { Plant } from "./plant.ts";

export const runEffectTwice: Plant = {
  story: "After a crash every call that was under way is simply run again.",
  breaks: "I6",
  faults: { kill: 8 },
  wrapTool: (_name, kind) => ({ ...kind, idempotent: true }),
};
