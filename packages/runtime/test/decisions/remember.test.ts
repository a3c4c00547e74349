import { type AfterToolExecuteContext, type BeforeToolExecuteContext, suspendCall } from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { openRuntime } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { soon } from "../support/wait.ts";
import { byHistory } from "./support/by-history.ts";

/** A call that the plugin `asker` asks about, and everything the plugin hears of it. */
async function ask(request: Parameters<typeof suspendCall>[0] = { action: "sure" }) {
  const before: Pick<BeforeToolExecuteContext, "decision" | "question">[] = [];
  const after: Pick<AfterToolExecuteContext, "outcome" | "decision" | "question">[] = [];
  const asker = definePlugin({
    id: "asker",
    hooks: {
      beforeToolExecute({ decision, question }) {
        before.push({ decision, question });
        return [suspendCall(request)];
      },
      afterToolExecute({ outcome, decision, question }) {
        after.push({ outcome, decision, question });
      },
    },
  });
  const { tool, keys } = countingTool();
  const script = byHistory([[{ call: "add", arguments: { title: "asked" } }], "after"]);
  const bench = await openRuntime({ script, tools: [tool], agent: { plugins: [asker] } });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await soon(run.outcome());
  return { ...bench, run, callId: `${run.id}-s1-c0`, before, after, keys };
}

describe("a decision that is to be remembered", () => {
  it("tells the plugin that asked how far it reaches, and whose question it answers", async () => {
    const { runtime, run, callId, before } = await ask();
    const decision = await runtime.decisions.decide(callId, { action: "approve", remember: "always" });
    expect(decision).toMatchObject({ action: "resume", remember: "always" });
    await soon(run.outcome());
    expect(before).toMatchObject([
      { decision: undefined, question: undefined },
      { decision: { remember: "always" }, question: { asked_by: "plugin:asker" } },
    ]);
  });

  it.each([
    [{ action: "resume", result: { approved: true, remember: true } }, "thread"],
    [{ action: "resume", remember: "always" }, "always"],
    [{ action: "resume", payload: { approved: true, remember: "thread" } }, "thread"],
    [{ action: "cancel", payload: { approved: false, remember: true } }, "thread"],
    [{ action: "resume", remember: "once" }, undefined],
    [{ action: "resume", payload: { approved: true, remember: "for ever" } }, undefined],
  ] as const)("is read from a client's words: %j", async (input, remember) => {
    const { runtime, run, callId, tenant } = await ask();
    await runtime.decisions.forward(run.id, [{ target_id: callId, ...input }]);
    await soon(run.outcome());
    expect((await tenant.loadDecision(run.id, callId, 1))?.remember).toBe(remember);
  });

  it("is refused when it says no scope there is, or comes with a supplied result", async () => {
    const { runtime, callId } = await ask();
    // Neither compiles.
    const wrong = { action: "approve", remember: "forever" } as never;
    await expect(runtime.decisions.decide(callId, wrong)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    const supplied = { action: "supply", result: 1, remember: "thread" } as never;
    await expect(runtime.decisions.decide(callId, supplied)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  });

  it("is another decision than the same one that is not", async () => {
    const { runtime, callId } = await ask();
    await runtime.decisions.decide(callId, { action: "approve" });
    const more = runtime.decisions.decide(callId, { action: "approve", remember: "always" });
    await expect(more).rejects.toMatchObject({ code: "DECISION_CONFLICT" });
  });
});

describe("plugins hear of a call that a person kept from running", () => {
  it("with the decision and the question when it was denied", async () => {
    const { runtime, run, callId, after, keys } = await ask();
    await runtime.decisions.decide(callId, { action: "deny", reason: "no", remember: true });
    await soon(run.outcome());
    expect(keys).toEqual([]);
    expect(after).toMatchObject([
      { outcome: "suspended" },
      {
        outcome: "denied",
        decision: { action: "cancel", remember: "thread" },
        question: { asked_by: "plugin:asker", suspension: { action: "sure" } },
      },
    ]);
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
  });

  it("without a decision when none came in time", async () => {
    const { run, env, after, runtime } = await ask({ action: "sure", expiresInMs: 5_000 });
    await env.advance(7_000);
    await soon(run.outcome());
    expect(after).toMatchObject([{ outcome: "suspended" }, { outcome: "expired", decision: undefined }]);
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
  });
});

it("asks for permission before it asks for a result, whatever the order of the plugins", async () => {
  const frontEnd = definePlugin({
    id: "front_end",
    hooks: {
      beforeToolExecute: () => [suspendCall({ action: "show", resumeMode: "use_decision_as_tool_result" })],
    },
  });
  const guard = definePlugin({
    id: "guard",
    hooks: { beforeToolExecute: () => [suspendCall({ action: "may_it" })] },
  });
  const { tool, keys } = countingTool();
  const script = byHistory([[{ call: "add", arguments: { title: "asked" } }], "after"]);
  const { runtime } = await openRuntime({ script, tools: [tool], agent: { plugins: [frontEnd, guard] } });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  const asked = async () => {
    await soon(run.outcome());
    const [open] = await runtime.decisions.list();
    return open?.ticket?.asked_by;
  };
  expect(await asked()).toBe("plugin:guard");
  await runtime.decisions.decide(`${run.id}-s1-c0`, { action: "approve" });
  expect(await asked()).toBe("plugin:front_end");
  await runtime.decisions.decide(`${run.id}-s1-c0`, { action: "supply", result: "shown" });
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  expect(keys).toEqual([]);
});
