import { describe, expect, it } from "vitest";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { settle, soon } from "./support/wait.ts";

const SCRIPT = [[{ cut: true }], [{ call: "add", arguments: { title: "x" } }], "Done.", "And more."] as const;

describe("issue 14.22: a scripted model answers by what its thread has heard", () => {
  it("continues where the script is when the approval is made in another process", async () => {
    const world = createWorld();
    const { tool, keys } = countingTool({ needsApproval: true });
    const first = await openRuntime({ world, script: SCRIPT, tools: [tool] });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    await world.env.advance(5_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "waiting" });
    await soon(first.runtime.close());

    const second = await openRuntime({ world, script: SCRIPT, tools: [tool] });
    const [question] = await second.runtime.decisions.list({ threadId: "t1" });
    await second.runtime.decisions.decide(question?.id ?? "", { action: "approve" });
    expect(await soon((await second.runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: "Done." });
    expect(keys).toHaveLength(1);
    await soon(second.runtime.close());

    const third = await openRuntime({ world, script: SCRIPT, tools: [tool] });
    const more = await soon(third.runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "and?" }));
    expect(more).toMatchObject({ status: "done", text: "And more." });
  });

  it("begins anew with every thread, however often the process was asked", async () => {
    const { runtime } = await openRuntime({ script: ["One.", "Two."] });
    for (const threadId of ["t1", "t2", "t3"]) {
      for (const text of ["One.", "Two."]) {
        const outcome = await soon(runtime.runToCompletion({ agent: "agent", threadId, input: "go" }));
        expect(outcome).toMatchObject({ status: "done", text });
      }
    }
  });
});
