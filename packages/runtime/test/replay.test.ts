import { expect, it } from "vitest";
import { openRuntime } from "./support/open-runtime.ts";
import { soon } from "./support/wait.ts";
import { countingTool } from "./support/tools.ts";

it("verifies a run that only talks", async () => {
  const { runtime } = await openRuntime({ script: [[{ text: ["Hel", "lo"] }]] });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "hi" });
  await soon(run.outcome());
  expect(await soon(runtime.replay(run.id))).toMatchObject({ run_id: run.id, mode: "verify", equal: true, versions: 2 });
});

it("verifies a run with a tool", async () => {
  const { tool } = countingTool();
  const { runtime } = await openRuntime({ tools: [tool], script: [[{ call: "add", arguments: { title: "x" } }], "done"] });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "hi" });
  await soon(run.outcome());
  expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true, versions: 4 });
});
