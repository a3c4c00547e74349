import { createRuntime, type RunRecording, replayExport } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { deadModel, record } from "./replay-support/record.ts";
import { reseal } from "./replay-support/reseal.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { soon } from "./support/wait.ts";

const ADD = { call: "add", arguments: { title: "x" } } as const;

describe("a verified replay asks no model, runs no tool, and comes to the same", () => {
  it("after a run that only talks, with reasoning and usage", async () => {
    const script = [
      [
        { reasoning: "Hm." },
        { encrypted: "e" },
        { text: ["Hel", "lo"] },
        { usage: { promptTokens: 3, completionTokens: 2 } },
      ],
    ];
    const { verify, run } = await record({ script });
    const result = await verify();
    expect(result).toMatchObject({ run_id: run.id, mode: "verify", equal: true, versions: 2 });
    expect(result.equal && result.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await verify()).toEqual(result);
  });

  it("after a tool that writes state", async () => {
    const { tool } = countingTool();
    const { verify } = await record({ tools: [tool], script: [[ADD], "done"] });
    expect(await verify()).toMatchObject({ equal: true, versions: 4 });
  });

  it("after a run that failed because its model did", async () => {
    const { verify, outcome } = await record({ script: [[{ text: "Well" }, { fail: "content_filter" }]] });
    expect(outcome.status).toBe("failed");
    expect(await verify()).toMatchObject({ equal: true });
  });

  it("after a stream that was cut, in the text and in a call", async () => {
    const { tool } = countingTool();
    const script = [
      [{ text: "Let me " }, { cut: true }],
      [{ text: "see." }, { unfinishedCall: "add", raw: '{"tit' }, { cut: true }],
      [{ text: "Again." }, ADD],
      [{ text: "cut off" }, { stop: "max_tokens" }],
      " and on",
    ] as const;
    const { verify, outcome } = await record({ tools: [tool], script });
    expect(outcome.status).toBe("done");
    expect(await verify()).toMatchObject({ equal: true });
  });

  it("after answers that had to be repaired to fit a schema", async () => {
    const outputSchema = { type: "object", required: ["n"], properties: { n: { type: "number" } } };
    const { verify, outcome } = await record({ script: ["no JSON", '{"n":1}'], agent: { outputSchema } });
    expect(outcome).toMatchObject({ status: "done", output: { n: 1 } });
    expect(await verify()).toMatchObject({ equal: true });
  });

  it("after a stop policy stopped it, and after one that could not be asked", async () => {
    const { tool } = countingTool();
    const script = Array.from({ length: 4 }, () => [ADD]);
    const agent = { stopWhen: [{ type: "stop_on_tool", toolName: "add" }] } as const;
    const stopped = await record({ tools: [tool], script, agent });
    expect(stopped.outcome).toMatchObject({ termination: { type: "stopped" } });
    expect(await stopped.verify()).toMatchObject({ equal: true });
    const looping = {
      stopWhen: [
        { type: "loop_detection", window: 3 },
        { type: "timeout", seconds: 60 },
      ],
    } as const;
    const looped = await record({ tools: [tool], script, agent: looping });
    expect(await looped.verify()).toMatchObject({ equal: true });
  });
});

describe("a verified replay needs nothing that is deployed", () => {
  it("of an agent that is another one today, or gone", async () => {
    const { tool } = countingTool();
    const bench = await record({ tools: [tool], script: [[ADD], "done"] });
    const changed = countingTool({ class: "read_only", version: "2" }).tool;
    const other = await openRuntime({ world: bench, model: deadModel, tools: [changed] });
    expect(await soon(other.runtime.replay(bench.run.id))).toMatchObject({ equal: true });
    const { env, store, blobs } = bench;
    const empty = await createRuntime({ env, store, blobs, agents: [] });
    onTestFinished(() => void empty.close().catch(() => undefined));
    expect(await soon(empty.replay(bench.run.id))).toMatchObject({ equal: true });
  });
});

describe("what cannot be replayed is said, typed", () => {
  it("for an unknown run, and for one that is not done", async () => {
    const { tool } = countingTool({ needsApproval: true });
    const { runtime, run, outcome } = await record({ tools: [tool], script: [[ADD], "done"] });
    expect(outcome.status).toBe("waiting");
    await expect(runtime.replay(run.id)).rejects.toMatchObject({ code: "RUN_NOT_DONE" });
    await expect(runtime.replay("nobody")).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
  });

  it("for a run whose history was pruned", async () => {
    const { runtime, run, store, env } = await record({ script: ["one", "two"] });
    await soon((await runtime.start({ agent: "agent", threadId: "t1", input: "more" })).outcome());
    await env.advance(10_000);
    const tenant = store.forTenant("default");
    const state = await runtime.threads.state("t1");
    await tenant.saveSnapshot("t1", { version: (await runtime.threads.get("t1")).version, state });
    await store.operator.prune({ historyVersions: 1 });
    await expect(soon(runtime.replay(run.id))).rejects.toMatchObject({ code: "VERSION_GONE" });
  });

  it("for a run that a newer loop recorded", async () => {
    const { runtime, run, env } = await record({ script: ["done"] });
    const exported = await runtime.exportRun(run.id);
    const newer = JSON.parse(
      JSON.stringify(exported).replaceAll(/"loop_version":\d+/g, '"loop_version":1000'),
    ) as RunRecording;
    await expect(replayExport(reseal(newer), { env })).rejects.toMatchObject({ code: "REPLAY_IMPOSSIBLE" });
  });
});
