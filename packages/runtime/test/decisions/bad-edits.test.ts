import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { record } from "../replay-support/record.ts";
import { suspend } from "../support/suspend.ts";
import { countingTool } from "../support/tools.ts";
import { soon, until } from "../support/wait.ts";

const BAD = { title: 5 };

describe("issue 14.20: arguments edited to something the tool does not take", () => {
  it("are refused with the problem, and the question stays open", async () => {
    const { runtime, call, run, keys } = await suspend();
    const refused = {
      code: "INVALID_ARGUMENTS",
      message: expect.stringMatching(/add were refused.*title.*stays|stays open: .*title/s),
    };
    await expect(runtime.decisions.decide(call.id, { action: "edit", arguments: BAD })).rejects.toMatchObject(refused);
    const forwarded = runtime.decisions.forward(run.id, [{ target_id: call.id, action: "resume", arguments: BAD }]);
    await expect(forwarded).rejects.toMatchObject(refused);
    const submitted = runtime.submit({
      agent_id: "agent",
      thread_id: "t1",
      messages: [],
      initial_decisions: [{ target_id: call.id, action: "resume", arguments: BAD }],
    });
    await expect(submitted).rejects.toMatchObject(refused);
    expect(await runtime.decisions.list({ threadId: "t1" })).toEqual([call]);
    await runtime.decisions.decide(call.id, { action: "edit", arguments: { title: "better" } });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(keys).toHaveLength(1);
    expect(await runtime.threads.state("t1")).toMatchObject({ notes: ["better"] });
  });

  it("are asked about again, with the problem, when only the owner of the run can tell", async () => {
    const { tool, keys } = countingTool({ needsApproval: true });
    const script = [[{ call: "add", arguments: { title: "x" } }], "ok"];
    const { runtime, verify, outcome } = await record({ script, tools: [tool] }, async (bench, run) => {
      await soon(run.outcome());
      // A process that shares the store and knows other agents.
      const stranger = await createRuntime({
        env: bench.env,
        store: bench.store,
        blobs: bench.blobs,
        agents: [defineAgent({ id: "other", model: scriptedModel(["ok"]) })],
        limits: { closeTimeoutMs: 1, maxActiveRuns: 0 },
      });
      onTestFinished(() => void stranger.close().catch(() => undefined));
      const find = async (suspension: number) =>
        (await stranger.decisions.list({ threadId: "t1" })).find((open) => open.suspension === suspension);
      for (const suspension of [1, 2]) {
        const open = await find(suspension);
        await stranger.decisions.decide(open?.id ?? "", { action: "edit", arguments: BAD });
        await until(async () => (await find(suspension + 1)) !== undefined, "the question again");
      }
      const again = await find(3);
      expect(again?.arguments).toEqual({ title: "x" });
      const said = again?.ticket?.suspension.message ?? "";
      expect(said).toMatch(/^May add run with these arguments\?\nThe edited arguments were refused: .*title/);
      expect(said.split("refused")).toHaveLength(2);
      expect(keys).toEqual([]);
      await stranger.decisions.decide(again?.id ?? "", { action: "edit", arguments: { title: "better" } });
    });
    expect(outcome.status === "done" || outcome.status === "waiting").toBe(true);
    await until(() => keys.length === 1, "the execution");
    expect(await runtime.threads.state("t1")).toMatchObject({ notes: ["better"] });
    expect(await verify()).toMatchObject({ equal: true });
  });

  it("of a budget's question are refused too", async () => {
    const { runtime } = await suspend();
    const usage = { usage: { promptTokens: 300, completionTokens: 20 } };
    const price = { input_per_million: 10, output_per_million: 10 };
    const spec = { id: "m", provider: "p", model: "m", max_output_tokens: 200, pricing: price };
    runtime.redefine({
      providers: [{ id: "p", model: () => scriptedModel([[{ text: "Done." }, usage]]) }],
      models: [spec],
      agents: [defineAgent({ id: "agent", model: "m" })],
    });
    const budget = { limitTokens: 10, onExceeded: "pause" } as const;
    const run = await runtime.start({ agent: "agent", threadId: "t2", input: "go", budget });
    expect(await soon(run.outcome())).toMatchObject({ status: "waiting" });
    const [open] = await runtime.decisions.list({ threadId: "t2" });
    for (const bad of [{ limit_tokens: "many" }, { tokens: 5 }]) {
      const decided = runtime.decisions.decide(open?.id ?? "", { action: "edit", arguments: bad });
      await expect(decided).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
    }
    expect(await runtime.decisions.list({ threadId: "t2" })).toEqual([open]);
  });
});
