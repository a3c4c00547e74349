import { textOf, toolPending, toolResult } from "@reprise/contracts";
import { defineTool, type RunHandle } from "@reprise/runtime";
import { defineState } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";

const perRun = defineState({ path: "per.run", scope: "run", initial: () => 0, actions: { bump: (n) => n + 1 } });
const perThread = defineState({ path: "kept", initial: () => 0, actions: { bump: (n) => n + 1 } });
const perCall = defineState({ path: "scratch", scope: "tool_call", initial: () => 0, actions: { bump: (n) => n + 1 } });

const bump = defineTool({
  id: "bump",
  description: "Counts in all scopes.",
  execute(_, { state }) {
    for (const definition of [perRun, perThread, perCall]) state.apply(definition.bump());
    return [state.get(perRun), state.get(perThread), state.get(perCall)];
  },
});

describe("what a thread remembers", () => {
  it("keeps run-scoped state over the steps of a run and drops it for the next run", async () => {
    const { runtime, model, tenant } = await openRuntime({
      script: [[{ call: "bump" }], [{ call: "bump" }], "one", [{ call: "bump" }], "two"],
      tools: [bump],
    });
    await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "a" });
    expect(await runtime.threads.state("t1")).toMatchObject({ per: { run: 2 }, kept: 2 });
    await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "b" });
    const results = model.requests.flatMap(({ messages }) => {
      const last = messages.at(-1);
      return last?.role === "tool" ? [textOf(last)] : [];
    });
    expect(results).toEqual(["[1,1,1]", "[2,2,1]", "[1,3,1]"]);
    expect(await runtime.threads.state("t1")).toMatchObject({ per: { run: 1 }, kept: 3 });
    await assertConsistent(tenant, "t1");
  });

  it("drops for the next run what a tool wrote for its run before it suspended itself", async () => {
    const pause = defineTool({
      id: "pause",
      description: "Waits for an answer.",
      execute(_, { state, identity }) {
        state.apply(perRun.bump());
        const suspension = { id: "q", action: "tool:pause" };
        const pending = { id: identity.callId, name: "pause", arguments: {} };
        return toolResult(toolPending("pause", { suspension, pending, resume_mode: "use_decision_as_tool_result" }));
      },
    });
    const { runtime, tenant } = await openRuntime({
      script: [[{ call: "pause" }], "one", "two"],
      tools: [pause],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "a" });
    expect(await run.outcome()).toMatchObject({ status: "waiting" });
    const [open] = await runtime.decisions.list();
    await runtime.decisions.decide(open?.id ?? "", { action: "supply", result: "yes" });
    expect(await run.outcome()).toMatchObject({ status: "done", text: "one" });
    await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "b" });
    expect(perRun.read(await runtime.threads.state("t1"))).toBe(0);
    await assertConsistent(tenant, "t1");
  });

  it("keeps a call's own state while it waits and deletes it when the call is over", async () => {
    const { tool } = countingTool({
      needsApproval: true,
      execute: (_, { state }) => {
        state.apply(perCall.bump());
        return state.get(perCall);
      },
    });
    const { runtime, tenant } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "ok"],
      tools: [tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "a" });
    await run.outcome();
    const [open] = await runtime.decisions.list();
    expect(await runtime.threads.state("t1")).toMatchObject({
      __tool_call_scope: { [open?.id ?? ""]: { tool_call_state: { status: "suspended" } } },
    });
    await runtime.decisions.decide(open?.id ?? "", { action: "approve" });
    await run.outcome();
    await assertConsistent(tenant, "t1");
  });

  it("takes a message with an id it has already only once", async () => {
    const { runtime, model } = await openRuntime({ script: ["one", "two"] });
    const hello = { id: "m1", role: "user", content: "hello" } as const;
    await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: [hello, hello] });
    await runtime.runToCompletion({
      agent: "agent",
      threadId: "t1",
      input: [hello, { id: "m2", role: "user", content: "again" }],
    });
    expect(model.requests.map(({ messages }) => messages.map(textOf))).toEqual([["hello"], ["hello", "one", "again"]]);
  });

  it("never loses its own messages to a client that guesses their ids", async () => {
    const { tool } = countingTool();
    const { runtime, tenant } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "answer"],
      tools: [tool],
    });
    const attack = ["r1-s1-m", "r1-s1-c0-r", "r1-s2-m"].map((id) => ({ id, role: "user", content: id }) as const);
    const run = await runtime
      .submit({ agent_id: "agent", thread_id: "t1", run_id: "r1", messages: attack })
      .catch((error: unknown) => error);
    // Refusing such ids is as good as keeping them apart.
    if (run instanceof Error) return expect(run).toMatchObject({ code: "INVALID_REQUEST" });
    expect(await (run as RunHandle).outcome()).toMatchObject({ status: "done", text: "answer" });
    await assertConsistent(tenant, "t1");
  });

  it("never loses its own messages to a client that guesses those of a later run", async () => {
    const { tool } = countingTool();
    const { runtime, tenant } = await openRuntime({
      script: ["first", [{ call: "add", arguments: { title: "x" } }], "answer"],
      tools: [tool],
    });
    const attack = ["r2-s1-m", "r2-s1-c0-r", "r2-s2-m"].map((id) => ({ id, role: "user", content: id }) as const);
    const refusal = await runtime
      .runToCompletion({ agent: "agent", threadId: "t1", input: attack })
      .catch((error) => error);
    if (refusal instanceof Error) return expect(refusal).toMatchObject({ code: "INVALID_REQUEST" });
    const messages = [{ role: "user", content: "go" }] as const;
    const run = await runtime
      .submit({ agent_id: "agent", thread_id: "t1", run_id: "r2", messages })
      .catch((error: unknown) => error);
    // Refusing such ids is as good as keeping them apart.
    if (run instanceof Error) return expect(run).toMatchObject({ code: "INVALID_REQUEST" });
    expect(await (run as RunHandle).outcome()).toMatchObject({ status: "done", text: "answer" });
    await assertConsistent(tenant, "t1");
  });

  it("answers calls that an earlier run left without a result", async () => {
    const { tool } = countingTool();
    const { runtime, model, tenant } = await openRuntime({
      script: [[{ call: "add", arguments: { title: "x" } }], "one", "two"],
      tools: [tool],
    });
    await runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "a" });
    // Version 2 is the assistant's turn with its call under way.
    await runtime.threads.fork("t1", { at: 2, threadId: "fork" });
    await runtime.runToCompletion({ agent: "agent", threadId: "fork", input: "b" });
    const messages = model.requests.at(-1)?.messages ?? [];
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(messages[2]).toMatchObject({ tool_call_id: messages[1]?.tool_calls?.[0]?.id });
    expect(textOf(messages[2] ?? { content: "" })).toContain("interrupted");
    await assertConsistent(tenant, "fork");
  });
});
