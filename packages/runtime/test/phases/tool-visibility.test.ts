import { excludeTool, includeOnlyTools, type PhaseAction } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { countingTool } from "../support/tools.ts";
import { gate, settle, soon, until } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { openPlugins, playPlugins } from "./support/play-plugins.ts";

const call = (id: string) => ({ call: id, arguments: { title: id } });
const showing = (id: string, ...actions: readonly PhaseAction<"exclude_tool" | "include_only_tools">[]) =>
  hookPlugin(id, "before_inference", () => actions);

/** Three tools, each of which counts its executions. */
const makeTools = () => {
  const made = ["a", "b", "c"].map((id) => countingTool({ id, idempotent: true }));
  return { tools: made.map(({ tool }) => tool), counts: () => made.map(({ keys }) => keys.length) };
};

it.each([
  ["everything else, when one is excluded", [[excludeTool("b")]], ["a", "c"]],
  ["everything else, when several are excluded at once", [[excludeTool("a", "b")]], ["c"]],
  ["nothing that one of several exclusions names", [[excludeTool("a", "c")], [excludeTool("b")]], []],
  ["everything, when an exclusion names no tool", [[excludeTool()]], ["a", "b", "c"]],
  ["nothing but what is included", [[includeOnlyTools("a", "c")]], ["a", "c"]],
  ["the union of two lists", [[includeOnlyTools("a")], [includeOnlyTools("b")]], ["a", "b"]],
  ["nothing that is excluded, whoever includes it later", [[excludeTool("a")], [includeOnlyTools("a", "b")]], ["b"]],
  ["nothing that is excluded, whoever includes it before", [[includeOnlyTools("a", "b")], [excludeTool("a")]], ["b"]],
  ["nothing at all, when nothing is included", [[includeOnlyTools()]], []],
  ["every tool, when somebody excludes one that is not there", [[excludeTool("z")]], ["a", "b", "c"]],
])("shows the model %s", async (_, actions, expected) => {
  const { tools } = makeTools();
  const plugins = actions.map((each, index) => showing(`p${index}`, ...each));
  const { model } = await playPlugins(plugins, { tools, script: ["ok"] });
  expect(model.requests[0]?.tools.map(({ id }) => id)).toEqual(expected);
});

it("is for one step", async () => {
  const { tools } = makeTools();
  const once = hookPlugin("p", "before_inference", ({ step }) => (step === 1 ? [includeOnlyTools("a")] : []));
  const { model, keys } = await playPlugins([once], { tools, script: [[call("a")], [call("b")], "ok"] });
  expect(model.requests.map(({ tools: told }) => told.length)).toEqual([1, 3, 3]);
  expect(keys).toEqual([]);
});

describe("a hidden tool the model calls all the same", () => {
  it("is refused with a result that says so, and the others run", async () => {
    const { tools, counts } = makeTools();
    const script = [[call("a"), call("b")], "ok"];
    const { messages, tenant } = await playPlugins([showing("p", excludeTool("b"))], { tools, script });
    expect(counts()).toEqual([1, 0, 0]);
    expect(messages[3]).toMatchObject({ role: "tool", metadata: { status: "error", tool_name: "b" } });
    expect(messages[3]?.content).toContain("may not be used in this step");
    await assertConsistent(tenant, "t1");
  });

  it("is refused with the advice of the plugin whose list leaves it out", async () => {
    const { tools, counts } = makeTools();
    const advice = "Ask for it first.";
    const plugins = [showing("p", includeOnlyTools(["a"], { advice })), showing("q", excludeTool("c"))];
    const { messages } = await playPlugins(plugins, { tools, script: [[call("b"), call("c")], "ok"] });
    expect(counts()).toEqual([0, 0, 0]);
    expect(messages[2]?.content).toContain("Tool b may not be used in this step. Ask for it first.");
    expect(messages[3]?.content).toContain("Tool c may not be used in this step.");
    expect(messages[3]?.content).not.toContain(advice);
  });

  it("is refused when a request transform took it out", async () => {
    const { tools, counts } = makeTools();
    const plugin = hookPlugin("p", "run_start", () => undefined, {
      transforms: [(request) => ({ ...request, tools: request.tools.filter(({ id }) => id !== "b") })],
    });
    await playPlugins([plugin], { tools, script: [[call("b")], "ok"] });
    expect(counts()).toEqual([0, 0, 0]);
  });

  it("is refused also when it stands behind a call that waited for a decision", async () => {
    const { tools, counts } = makeTools();
    const asking = countingTool({ id: "ask", needsApproval: true }).tool;
    const plugin = hookPlugin("p", "before_inference", ({ step }) => (step === 1 ? [excludeTool("b")] : []));
    const { runtime } = await openPlugins([plugin], {
      tools: [asking, ...tools],
      script: [[call("ask"), call("b")], "ok"],
      agent: { toolExecutionMode: "sequential" },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    const outcome = await soon(run.outcome());
    const open = outcome.status === "waiting" ? outcome.open : [];
    await runtime.decisions.decide(open[0]?.id ?? "", { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(counts()).toEqual([0, 0, 0]);
  });

  it("is refused also by the process that takes the round over", async () => {
    const first = makeTools();
    const plugin = showing("p", excludeTool("b"));
    const options = { script: [[call("a"), call("b")], "ok"], agent: { toolExecutionMode: "sequential" } } as const;
    const dying = await openPlugins([plugin], { ...options, tools: first.tools });
    dying.env.faults.hold("tool:before");
    const run = await dying.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await settle();
    void dying.runtime.close();
    const { env, blobs } = dying;
    await env.advance(5_000);
    const second = makeTools();
    const other = await openPlugins([plugin], {
      script: ["ok", "ok"],
      agent: options.agent,
      tools: second.tools,
      world: { env, blobs, store: dying.store },
    });
    for (let turn = 0; turn < 20; turn += 1) {
      await settle();
      await env.advance(1_000);
    }
    expect(await soon((await other.runtime.run(run.id)).outcome())).toMatchObject({ status: "done", text: "ok" });
    expect(first.counts()).toEqual([0, 0, 0]);
    expect(second.counts()).toEqual([1, 0, 0]);
  });
});

it("does not refuse a call of an earlier step that is approved meanwhile", async () => {
  const asking = countingTool({ id: "ask", needsApproval: true });
  const release = gate();
  const slow = countingTool({ id: "slow", execute: () => release.promise });
  const later = hookPlugin("p", "before_inference", ({ step }) => (step > 1 ? [excludeTool("ask")] : []));
  const { runtime } = await openPlugins([later], {
    tools: [asking.tool, slow.tool, ...makeTools().tools],
    script: [[call("ask"), call("a")], [call("slow")], "ok", "ok"],
    agent: { partialSuspension: "continue" },
  });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await until(() => slow.keys.length === 1, "the second step");
  const [open] = await runtime.decisions.list({ threadId: "t1" });
  await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
  await settle();
  release.open();
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  expect(asking.keys).toHaveLength(1);
});

it("tells after_inference which tools plugins excluded", async () => {
  const { tools } = makeTools();
  const seen: unknown[] = [];
  const watch = hookPlugin("w", "after_inference", ({ excludedTools }) => void seen.push(excludedTools));
  await playPlugins([showing("p", excludeTool("b"), includeOnlyTools("a", "b")), watch], { tools, script: ["ok"] });
  expect(seen).toEqual([["b"]]);
});
