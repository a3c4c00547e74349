import { textOf } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { logCommits } from "./support/intercept-store.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { collect, typesOf } from "./support/wait.ts";

describe("the loop", () => {
  it("answers with text", async () => {
    const { runtime, model, tenant } = await openRuntime({
      script: [[{ text: ["Hel", "lo"] }]],
      agent: { instructions: "Be brief." },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "Hi" });
    expect(await run.outcome()).toMatchObject({ status: "done", text: "Hello", termination: { type: "natural_end" } });
    expect(typesOf(await collect(run))).toEqual([
      "run_start",
      "step_start",
      "text_delta",
      "text_delta",
      "model_routed",
      "cost_recorded",
      "inference_complete",
      "step_end",
      "run_finish",
    ]);
    expect(model.requests.map(({ system, messages }) => [system, messages.map(textOf)])).toEqual([
      ["Be brief.", ["Hi"]],
    ]);
    await assertConsistent(tenant, "t1");
  });

  it("gives the model the result of a call before it answers", async () => {
    const { tool, keys } = countingTool();
    const { runtime, model, tenant } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "milk" } }], "Noted."],
      tools: [tool],
    });
    const outcome = await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "Note milk" });
    expect(outcome).toMatchObject({ status: "done", text: "Noted." });
    expect(keys).toHaveLength(1);
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(model.requests[1]?.messages.at(-1)).toMatchObject({ content: '{"count":1}', tool_call_id: keys[0] });
    expect(await runtime.threads.state("t1")).toMatchObject({ notes: ["milk"] });
    await assertConsistent(tenant, "t1");
  });

  it("runs the calls of a round in the model's order, each on the state left by the one before", async () => {
    const seen: string[] = [];
    const { tool } = countingTool();
    const peek = countingTool({
      id: "peek",
      class: "read_only",
      execute: ({ title }, { state }) => {
        seen.push(`${title}:${JSON.stringify(state.at(["notes"]) ?? null)}`);
        return title;
      },
    });
    const { runtime, model, tenant } = await openRuntime({
      script: [
        [
          { call: "peek", arguments: { title: "before" } },
          { call: "add", arguments: { title: "a" } },
          { call: "add", arguments: { title: "b" } },
          { call: "peek", arguments: { title: "after" } },
        ],
        "ok",
      ],
      tools: [tool, peek.tool],
    });
    await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" });
    expect(seen).toEqual(["before:null", 'after:["a","b"]']);
    const [assistant, ...results] = model.requests[1]?.messages.slice(1) ?? [];
    expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(assistant?.tool_calls?.map(({ id }) => id));
    expect(results.map(textOf)).toEqual(["before", '{"count":1}', '{"count":2}', "after"]);
    await assertConsistent(tenant, "t1");
  });

  it("needs exactly four transactions for a mutating call and a final text", async () => {
    const world = createWorld();
    const { store, changesets } = logCommits(world.store);
    const { tool } = countingTool();
    const { runtime } = await openRuntime({
      world,
      store,
      script: [[{ call: "add", arguments: { title: "milk" } }], "Noted."],
      tools: [tool],
    });
    await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" });
    expect(changesets.map(({ reasons }) => reasons)).toEqual([
      ["user_message"],
      ["assistant_turn", "tool_intent"],
      ["tool_results"],
      ["assistant_turn", "run_finished"],
    ]);
    expect((await runtime.threads.get("t1")).version).toBe(4);
  });

  it("commits the call as running before its tool begins", async () => {
    const world = createWorld();
    const statuses: (string | undefined)[] = [];
    const { tool } = countingTool({
      execute: async (_, { identity }) => {
        const call = await world.store.forTenant("default").loadCall(identity.runId, identity.callId);
        statuses.push(call?.status);
        return null;
      },
    });
    const { runtime } = await openRuntime({
      world,
      script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
      tools: [tool],
    });
    await runtime.runToCompletion({ agent: "agent", input: "go" });
    expect(statuses).toEqual(["running"]);
  });

  it("stops a run that asks for tools for ever", async () => {
    const { tool, keys } = countingTool();
    const { runtime, model, tenant } = await openRuntime({
      script: () => [{ call: "add", arguments: { title: "again" } }],
      tools: [tool],
      agent: { maxRounds: 3 },
    });
    const outcome = await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "go" });
    expect(outcome).toMatchObject({
      status: "done",
      termination: { type: "stopped", value: { code: "max_rounds_reached" } },
      run: { termination_code: "stopped:max_rounds_reached", steps: 3 },
    });
    expect([model.requests.length, keys.length]).toEqual([3, 3]);
    await assertConsistent(tenant, "t1");
  });

  it("counts the tokens of all steps of a run", async () => {
    const usage = { promptTokens: 10, completionTokens: 3 };
    const { tool } = countingTool();
    const { runtime } = await openRuntime({
      script: [
        [{ usage }, { call: "add", arguments: { title: "x" } }],
        [{ usage }, { text: "ok" }],
      ],
      tools: [tool],
    });
    const outcome = await runtime.runToCompletion({ agent: "agent", input: "go" });
    expect(outcome.run).toMatchObject({ input_tokens: 20, output_tokens: 6 });
  });
});
