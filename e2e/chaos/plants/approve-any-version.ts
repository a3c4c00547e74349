import type { Plant } from "./plant.ts";

export const approveAnyVersion: Plant = {
  story: "What was approved for one version of a tool lets the next version run.",
  breaks: "I7",
  faults: { deploy: 3 },
  workers: 2,
  changes: [
    {
      file: "packages/runtime/src/loop/decide-calls.ts",
      from: 'return tool_version === "" || tool_version === call.tool_version ? undefined : { ...call, tool_version };',
      to: "return undefined;",
    },
  ],
};
