import type { Plant } from "./plant.ts";

export const doNotWaitForRuns: Plant = {
  story: "A call that started a run continues at once, without the answer of that run.",
  breaks: "I11",
  faults: { kill: 1 },
  trees: true,
  changes: [
    {
      file: "packages/runtime/src/loop/settle-call.ts",
      from: '  if (result.status === "error") return',
      to: `  if (executed.children.length > 0 && result.status === "pending") {
    return finishCall(workspace, call, { result: { ...result, status: "success" }, trigger: "succeed" });
  }
  if (result.status === "error") return`,
    },
  ],
};
