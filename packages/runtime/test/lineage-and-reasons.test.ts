import { blockCall, changeState, setToolResult, suspendCall } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, definePlugin, defineTool, type Runtime } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool, notes } from "./support/tools.ts";
import { collect, soon } from "./support/wait.ts";

describe("issue 14.13: commits that hold the assistant's turn", () => {
  it.each<readonly [string, Parameters<typeof openRuntime>[0], readonly (readonly string[])[]]>([
    ["the end of a run", { script: ["done"] }, [["user_message"], ["assistant_turn", "run_finished"]]],
    [
      "a question",
      {
        script: [[{ call: "add", arguments: { title: "x" } }]],
        tools: [countingTool({ needsApproval: true }).tool],
      },
      [["user_message"], ["assistant_turn", "run_finished"]],
    ],
    [
      "a refused call",
      { script: [[{ call: "nope" }], "done"] },
      [["user_message"], ["assistant_turn", "tool_results"], ["assistant_turn", "run_finished"]],
    ],
  ])("say so together with %s", async (_, options, expected) => {
    const { runtime } = await openRuntime(options);
    await soon((await runtime.start({ agent: "agent", threadId: "t1", input: "go" })).outcome());
    expect((await runtime.threads.changesets("t1")).map(({ reasons }) => reasons)).toEqual(expected);
  });
});

describe("issue 14.13: progress of a run that a tool call started", () => {
  it("names the call above it", async () => {
    const below = defineTool({
      id: "below",
      description: "Works.",
      execute: (_, { progress }) => progress({ message: "half" }),
    });
    const above = defineTool({
      id: "above",
      description: "Starts a run.",
      recursive: true,
      async execute(_, { identity }) {
        const run = await runtime.start({
          agent: "worker",
          threadId: "t2",
          input: "go",
          parentCallId: identity.callId,
        });
        await run.outcome();
        return run.id;
      },
    });
    const agents = [
      defineAgent({ id: "boss", model: scriptedModel([[{ call: "above" }], "ok"]), tools: [above] }),
      defineAgent({ id: "worker", model: scriptedModel([[{ call: "below" }], "ok"]), tools: [below] }),
    ];
    const runtime: Runtime = await createRuntime({ ...createWorld(), agents, limits: { closeTimeoutMs: 1 } });
    onTestFinished(() => void runtime.close().catch(() => undefined));
    const run = await runtime.start({ agent: "boss", threadId: "t1", input: "go" });
    await soon(run.outcome());
    const [child] = (await runtime.runs({ parentRunId: run.id })).items;
    const parent = `${run.id}-s1-c0`;
    expect(child).toMatchObject({ parent_run_id: run.id, parent_call_id: parent });
    const events = await collect(await runtime.run(child?.run_id ?? ""));
    expect(events.find(({ type }) => type === "activity_snapshot")).toMatchObject({
      data: {
        content: { parent_run_id: run.id, parent_call_id: parent, parent_node_id: `tool_call:${parent}` },
      },
    });
    for (const wrong of [{ parentCallId: "nothing" }, { parentCallId: parent, parentRunId: "other" }]) {
      await expect(runtime.start({ agent: "worker", input: "go", ...wrong })).rejects.toMatchObject({
        code: "INVALID_REQUEST",
      });
    }
  });
});

describe("issue 14.13: a run id that is taken", () => {
  it("is refused as such, without the runtime's own ids", async () => {
    const { runtime } = await openRuntime();
    const submit = (thread_id: string) =>
      runtime.submit({ agent_id: "agent", thread_id, run_id: "r1", messages: [{ role: "user", content: "go" }] });
    await soon((await submit("t1")).outcome());
    const message = "There is a run with the id r1 already. Choose another id, or leave it out.";
    await expect(submit("t2")).rejects.toMatchObject({ code: "RUN_EXISTS", message, details: { run_id: "r1" } });
  });
});

describe("issue 14.13: the preview of a call", () => {
  const pay = defineTool({
    id: "pay",
    description: "Pays.",
    inputSchema: z.object({ amount: z.number() }),
    needsApproval: ({ amount }) => amount > 100,
    execute: () => null,
  });
  const rule = definePlugin({
    id: "rule",
    states: [notes],
    hooks: {
      beforeToolExecute({ call, state }) {
        const { amount } = call.arguments as { readonly amount?: number };
        const seen = changeState(notes.add("asked"));
        if (state.get(notes).includes("closed")) return [seen, blockCall("The desk is closed.")];
        if (amount === 13) return [seen, blockCall("Not thirteen.")];
        if (amount === 50) return [seen, suspendCall({ action: "approval", message: "Fifty?" })];
        return amount === 0 ? [seen, setToolResult("nothing to pay")] : [seen];
      },
    },
  });

  it.each<readonly [unknown, object]>([
    [{ amount: 1 }, { decision: "allow", source: "tool" }],
    [{ amount: 0 }, { decision: "allow", source: "plugin:rule" }],
    [{ amount: 13 }, { decision: "deny", reason: "Not thirteen.", source: "plugin:rule" }],
    [{ amount: 50 }, { decision: "ask", reason: "Fifty?", source: "plugin:rule" }],
    [{ amount: 500 }, { decision: "ask", reason: "the tool needs an approval", source: "tool" }],
    [{ amount: "a lot" }, { decision: "deny", source: "tool" }],
    [undefined, { decision: "ask", reason: "it depends on the arguments", source: "tool" }],
  ])("with %j is what the plugins and the tool say", async (given, expected) => {
    const { runtime } = await openRuntime({ tools: [pay], agent: { plugins: [rule] } });
    const call = { agent: "agent", tool: "pay", ...(given !== undefined && { arguments: given as never }) };
    expect(await runtime.previewCall(call)).toMatchObject(expected);
  });

  it("sees the state of a thread and leaves nothing behind", async () => {
    const { runtime } = await openRuntime({ tools: [pay], agent: { plugins: [rule] } });
    await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" }));
    await runtime.threads.patch("t1", { ops: [{ op: "set", path: ["notes"], value: ["closed"] }] });
    const { version } = await runtime.threads.get("t1");
    const call = { agent: "agent", tool: "pay", arguments: { amount: 1 }, threadId: "t1" };
    expect(await runtime.previewCall(call)).toMatchObject({ decision: "deny", reason: "The desk is closed." });
    expect((await runtime.threads.get("t1")).version).toBe(version);
    expect(await runtime.threads.state("t1")).toMatchObject({ notes: ["closed"] });
    expect((await runtime.runs()).items).toHaveLength(1);
  });
});
