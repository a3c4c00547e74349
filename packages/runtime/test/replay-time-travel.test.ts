import { scriptedModel } from "@reprise/models";
import { describe, expect, it } from "vitest";
import { record } from "./replay-support/record.ts";
import { countingTool } from "./support/tools.ts";
import { settle, soon } from "./support/wait.ts";

const ADD = (title: string) => ({ call: "add", arguments: { title } });

async function recorded() {
  const { tool, keys } = countingTool();
  const script = [[ADD("a")], [ADD("b"), { usage: { promptTokens: 5, completionTokens: 3 } }], "two notes"];
  return { ...(await record({ tools: [tool], script })), tool, keys };
}

describe("versions of a thread", () => {
  it("are looked at and compared", async () => {
    const { runtime } = await recorded();
    expect(await runtime.threads.state("t1", { version: 3 })).toMatchObject({ notes: ["a"] });
    expect(await runtime.threads.state("t1", { version: 0 })).toEqual({});
    const { patch, added, superseded } = await runtime.threads.diffVersions("t1", 3, 5);
    expect(patch.some(({ path }) => path[0] === "notes")).toBe(true);
    expect(added.map(({ role }) => role)).toEqual(["assistant", "tool"]);
    expect(superseded).toEqual([]);
    expect(await runtime.threads.diffVersions("t1", 4, 4)).toMatchObject({ patch: [], added: [], superseded: [] });
  });

  it("that are not there are refused, typed", async () => {
    const { runtime } = await recorded();
    for (const version of [7, -1, 1.5, Number.NaN]) {
      await expect(runtime.threads.state("t1", { version })).rejects.toMatchObject({ code: "VERSION_NOT_FOUND" });
      await expect(runtime.threads.diffVersions("t1", 0, version)).rejects.toMatchObject({ code: "VERSION_NOT_FOUND" });
      await expect(runtime.threads.fork("t1", { at: version })).rejects.toMatchObject({ code: "VERSION_NOT_FOUND" });
    }
    await expect(runtime.threads.state("nobody", { version: 0 })).rejects.toMatchObject({ code: "THREAD_NOT_FOUND" });
    await expect(runtime.threads.diffVersions("nobody", 0, 0)).rejects.toMatchObject({ code: "THREAD_NOT_FOUND" });
    await expect(runtime.threads.fork("nobody", { at: 0 })).rejects.toMatchObject({ code: "THREAD_NOT_FOUND" });
  });

  it("that were pruned are gone", async () => {
    const { runtime, store } = await recorded();
    await soon((await runtime.start({ agent: "agent", threadId: "t1", input: "more" })).outcome());
    const { version } = await runtime.threads.get("t1");
    await store.forTenant("default").saveSnapshot("t1", { version, state: await runtime.threads.state("t1") });
    await store.operator.prune({ historyVersions: 1 });
    await expect(runtime.threads.state("t1", { version: 2 })).rejects.toMatchObject({ code: "VERSION_GONE" });
    await expect(runtime.threads.diffVersions("t1", 2, version)).rejects.toMatchObject({ code: "VERSION_GONE" });
  });

  it("are forked, and both continue by themselves", async () => {
    const { runtime } = await recorded();
    const fork = await runtime.threads.fork("t1", { at: 3, threadId: "fork" });
    expect(fork).toMatchObject({ thread_id: "fork", version: 1 });
    expect(await runtime.threads.state("fork")).toMatchObject({ notes: ["a"] });
    expect((await runtime.threads.messages("fork")).messages).toHaveLength(3);
  });
});

describe("a run is taken up again before one of its steps", () => {
  it("with another model and other words, beside the original, and compared with it", async () => {
    const { runtime, run, model, keys } = await recorded();
    const other = scriptedModel(
      [[ADD("c"), { usage: { promptTokens: 7, completionTokens: 1 } }], "other notes"],
      "other",
    );
    const rerun = await runtime.rerunFrom(run.id, 2, {
      model: other,
      instructions: "Be different.",
      threadId: "again",
    });
    expect(rerun).toMatchObject({ threadId: "again", at: 3 });
    const { original, rerun: second, state } = await soon(rerun.comparison());
    expect(other.requests[0]?.system).toBe("Be different.");
    expect(other.requests[0]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(model.requests).toHaveLength(3);
    expect(original.messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
    expect(second.messages.map(({ role }) => role)).toEqual(["assistant", "tool", "assistant"]);
    expect(second.messages.at(-1)?.content).toBe("other notes");
    expect([original.input_tokens, second.input_tokens]).toEqual([5, 7]);
    expect([original.steps, second.steps]).toEqual([2, 2]);
    expect(state).toEqual([{ op: "set", path: ["notes", 1], value: "c" }]);
    expect(await runtime.threads.state("t1")).toMatchObject({ notes: ["a", "b"] });
    expect(keys).toHaveLength(3);
    expect(await soon(runtime.replay(run.id))).toMatchObject({ equal: true });
  });

  it("with other results of the calls that the step reads first, which the comparison's run names", async () => {
    const { runtime, run, keys } = await recorded();
    const [first = ""] = (await runtime.calls({ runId: run.id })).items.map(({ call_id }) => call_id);
    const before = keys.length;
    const other = scriptedModel(["read something else"], "other");
    const toolResults = { [first]: { added: "nothing" } };
    const rerun = await runtime.rerunFrom(run.id, 2, { model: other, toolResults, threadId: "otherwise" });
    const { rerun: second } = await soon(rerun.comparison());
    const results = other.requests[0]?.messages.filter(({ role }) => role === "tool") ?? [];
    expect(results.map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual([
      [first, '{"added":"nothing"}'],
    ]);
    expect(keys).toHaveLength(before);
    expect(second.run.metadata).toMatchObject({ changes: { model: "other", tool_results: toolResults } });
    expect(await runtime.replay(rerun.run.id)).toMatchObject({ equal: true });
    // The original is as it was.
    expect(JSON.stringify((await runtime.threads.messages("t1")).messages)).not.toContain("nothing");
  });

  it("never with the result of a call that the step does not read first, and no fork is left of that", async () => {
    const { runtime, run } = await recorded();
    const [first = "", later = ""] = (await runtime.calls({ runId: run.id })).items.map(({ call_id }) => call_id);
    for (const [step, callId] of [
      [2, later],
      [3, first],
      [1, first],
      [2, "none"],
    ] as const) {
      const changes = { toolResults: { [callId]: "x" }, threadId: "refused" };
      await expect(runtime.rerunFrom(run.id, step, changes)).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        message: `The step does not begin with the result of call ${callId}.`,
      });
      await expect(runtime.threads.get("refused")).rejects.toMatchObject({ code: "THREAD_NOT_FOUND" });
    }
  });

  it("with other tools, by an agent under a private id", async () => {
    const { runtime, run } = await recorded();
    const noted: string[] = [];
    const { tool } = countingTool({ description: "Pretends.", execute: ({ title }) => void noted.push(title) });
    const other = scriptedModel([[ADD("c")], "done"], "other");
    const rerun = await runtime.rerunFrom(run.id, 1, { model: other, tools: [tool] });
    await soon(rerun.comparison());
    expect(noted).toEqual(["c"]);
    expect(runtime.agents().map(({ id }) => id)).toEqual(["agent"]);
    const { agent_id } = await rerun.run.record();
    await settle();
    await expect(runtime.start({ agent: agent_id, input: "x" })).rejects.toMatchObject({ code: "AGENT_NOT_FOUND" });
  });

  it("never before a step it does not have, nor while it is at work, nor with what cannot be", async () => {
    const { runtime, run } = await recorded();
    for (const step of [0, 4, 1.5]) {
      await expect(runtime.rerunFrom(run.id, step)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    }
    await expect(runtime.rerunFrom("nobody", 1)).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
    await expect(runtime.rerunFrom(run.id, 1, { model: "unknown" })).rejects.toMatchObject({ code: "MODEL_NOT_FOUND" });
    expect((await runtime.threads.list()).items).toHaveLength(1);
  });

  it("once under its ids: asked again it is the same run, and another step under them is refused", async () => {
    const { runtime, run } = await recorded();
    const model = scriptedModel(() => "again", "other");
    const first = await runtime.rerunFrom(run.id, 2, { model, threadId: "again", runId: "r2" });
    await soon(first.comparison());
    const second = await runtime.rerunFrom(run.id, 2, { model, threadId: "again", runId: "r2" });
    expect([second.run.id, second.run.isEarlier]).toEqual(["r2", true]);
    await expect(runtime.rerunFrom(run.id, 1, { model, threadId: "again", runId: "r2" })).rejects.toMatchObject({
      code: "RUN_EXISTS",
    });
    expect(model.requests).toHaveLength(1);
  });
});

describe("what a model was asked", () => {
  it("is made again from the recording, exactly, without asking it", async () => {
    const { runtime, run, model } = await recorded();
    const asked = model.requests.map(({ system, messages, tools, options }) => ({ system, messages, tools, options }));
    for (const [at, request] of asked.entries())
      expect((await runtime.modelCalls(run.id, at + 1)).map((call) => call.request)).toEqual([request]);
    const [second] = await runtime.modelCalls(run.id, 2);
    expect(second).toMatchObject({
      model: "scripted",
      answer: { text: "", calls: [{ name: "add", arguments: { title: "b" } }], stopReason: "tool_use" },
    });
    expect(second?.answer?.usage).toMatchObject({ prompt_tokens: 5, completion_tokens: 3 });
    expect(model.requests).toHaveLength(asked.length);
  });

  it("is told with the error when no model answered", async () => {
    const { runtime, run } = await record({ script: [[{ fail: "invalid_request" }]] });
    expect(await runtime.modelCalls(run.id, 1)).toMatchObject([
      { error: "The model failed (invalid_request): The script says: invalid_request." },
    ]);
  });

  it("is refused for a step that is not there", async () => {
    const { runtime, run } = await recorded();
    for (const step of [0, 4, 1.5])
      await expect(runtime.modelCalls(run.id, step)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    await expect(runtime.modelCalls("nobody", 1)).rejects.toMatchObject({ code: "RUN_NOT_FOUND" });
  });
});
