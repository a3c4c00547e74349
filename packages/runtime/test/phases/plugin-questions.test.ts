import { blockCall, type SuspendRequest, suspendCall } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { createWorld } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { settle, soon } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { openPlugins } from "./support/play-plugins.ts";

const request = { agent: "agent", threadId: "t1", input: "go" } as const;

const asking = (id: string, question: Partial<SuspendRequest> = {}, heard: unknown[] = []) =>
  hookPlugin(id, "before_tool_execute", ({ call, decision }) => {
    heard.push([call.suspension, decision?.action]);
    return [suspendCall({ action: `ask_${id}`, ...question })];
  });

/** Starts a run that waits for a plugin's question. */
async function openAsking(...args: Parameters<typeof openPlugins>) {
  const bench = await openPlugins(...args);
  const run = await bench.runtime.start(request);
  const open = async () => {
    const outcome = await soon(run.outcome());
    return outcome.status === "waiting" ? outcome.open : [];
  };
  /** Answers the open question; returns the next one's action, or how the run ended. */
  const decide = async (decision: Parameters<typeof bench.runtime.decisions.decide>[1]) => {
    const [question] = await open();
    await bench.runtime.decisions.decide(question?.id ?? "", decision);
    const outcome = await soon(run.outcome());
    return outcome.status === "waiting" ? outcome.open[0]?.ticket?.suspension.action : outcome.status;
  };
  return { ...bench, run, open, decide };
}

it("asks with what the plugin says, and what it leaves out follows from the call", async () => {
  const { open } = await openAsking([asking("p", { message: "Sure?", parameters: { cost: 3 } })]);
  const [question] = await open();
  expect(question?.ticket).toMatchObject({
    suspension: { action: "ask_p", message: "Sure?", parameters: { cost: 3 } },
    pending: { id: question?.id, name: "add", arguments: { title: "x" } },
    resume_mode: "replay_tool_call",
    asked_by: "plugin:p",
  });
});

it("shows the call as the plugin wants it shown", async () => {
  const { open } = await openAsking([
    asking("p", { pending: { id: "shown", name: "Add", arguments: { title: "***" } } }),
  ]);
  expect((await open())[0]?.ticket?.pending).toEqual({ id: "shown", name: "Add", arguments: { title: "***" } });
});

it("is not heard again once it was answered", async () => {
  const heard: unknown[] = [];
  const { decide, keys, tenant } = await openAsking([asking("p", {}, heard)]);
  expect(await decide({ action: "approve" })).toBe("done");
  expect(keys).toHaveLength(1);
  expect(heard).toEqual([
    [0, undefined],
    [1, "resume"],
  ]);
  await assertConsistent(tenant, "t1");
});

it("is not heard again in another process either", async () => {
  const world = createWorld();
  const first = await openAsking([asking("p")], { world });
  const [question] = await first.open();
  await settle();
  await first.runtime.close();
  const second = await openPlugins([asking("p")], { world, script: ["ok"] });
  await second.runtime.decisions.decide(question?.id ?? "", { action: "approve" });
  expect(await soon((await second.runtime.run(first.run.id)).outcome())).toMatchObject({ status: "done", text: "ok" });
  expect([first.keys.length, second.keys.length]).toEqual([0, 1]);
});

it("is heard again when it insists", async () => {
  const heard: unknown[] = [];
  const plugin = hookPlugin("p", "before_tool_execute", ({ call }) => {
    heard.push(call.suspension);
    return call.suspension < 3 ? [suspendCall({ action: `ask_${call.suspension}`, again: true })] : [];
  });
  const { decide, keys } = await openAsking([plugin]);
  expect(await decide({ action: "approve" })).toBe("ask_1");
  expect(keys).toEqual([]);
  expect(await decide({ action: "approve" })).toBe("ask_2");
  expect(await decide({ action: "approve" })).toBe("done");
  expect(heard).toEqual([0, 1, 2, 3]);
  expect(keys).toHaveLength(1);
});

it("lets another plugin ask after it, and the call runs once both were answered", async () => {
  const { decide, keys, tenant } = await openAsking([asking("p"), asking("q")]);
  expect(await decide({ action: "approve" })).toBe("ask_q");
  expect(keys).toEqual([]);
  expect(await decide({ action: "approve" })).toBe("done");
  expect(keys).toHaveLength(1);
  await assertConsistent(tenant, "t1");
});

it("ends the call when it is denied, and does not ask again", async () => {
  const { decide, keys, model } = await openAsking([asking("p"), asking("q")]);
  expect(await decide({ action: "deny", reason: "Too dear." })).toBe("done");
  expect(keys).toEqual([]);
  expect(JSON.stringify(model.requests[1])).toContain("Too dear.");
});

describe("a call whose tool wants approval too", () => {
  const options = () => {
    const { tool, keys } = countingTool({ needsApproval: true });
    return { tools: [tool], executed: keys };
  };

  it("counts as approved when the plugin asked and a person let it continue", async () => {
    const { executed, ...rest } = options();
    const { decide } = await openAsking([asking("p")], rest);
    expect(await decide({ action: "approve" })).toBe("done");
    expect(executed).toHaveLength(1);
  });

  it("is never executed when the plugin's question is denied", async () => {
    const { executed, ...rest } = options();
    const { decide } = await openAsking([asking("p")], rest);
    expect(await decide({ action: "deny" })).toBe("done");
    expect(executed).toEqual([]);
  });
});

it("is blocked after the decision by a plugin that blocks then", async () => {
  const blocking = hookPlugin("q", "before_tool_execute", ({ decision }) =>
    decision === undefined ? [] : [blockCall("Not any more.")],
  );
  const { decide, keys, model } = await openAsking([asking("p"), blocking]);
  expect(await decide({ action: "approve" })).toBe("done");
  expect(keys).toEqual([]);
  expect(JSON.stringify(model.requests[1])).toContain("Not any more.");
});

it("has the edited arguments looked at by every plugin", async () => {
  const guarding = hookPlugin("q", "before_tool_execute", ({ call }) =>
    JSON.stringify(call.arguments).includes("evil") ? [blockCall("Evil.")] : [],
  );
  const { decide, keys } = await openAsking([asking("p"), guarding]);
  expect(await decide({ action: "edit", arguments: { title: "evil" } })).toBe("done");
  expect(keys).toEqual([]);
});

it("takes the decision as the result when the plugin says so", async () => {
  const { decide, keys, model } = await openAsking([asking("p", { resume_mode: "use_decision_as_tool_result" })]);
  expect(await decide({ action: "supply", result: { picked: 2 } })).toBe("done");
  expect(keys).toEqual([]);
  expect(model.requests[1]?.messages.at(-1)?.content).toBe('{"picked":2}');
});

it("passes the decision to the tool when the plugin says so", async () => {
  const seen: unknown[] = [];
  const { tool } = countingTool({ execute: (_, { decision }) => void seen.push(decision?.result) });
  const plugin = asking("p", { resume_mode: "pass_decision_to_tool" });
  const { decide } = await openAsking([plugin], { tools: [tool] });
  expect(await decide({ action: "supply", result: "blue" })).toBe("done");
  expect(seen).toEqual(["blue"]);
});

it("is over when its time is up", async () => {
  const { run, open, env, keys, model } = await openAsking([asking("p", { expires_in_ms: 5_000 })]);
  expect(await open()).toHaveLength(1);
  await env.advance(5_000);
  await settle();
  await env.advance(1_000);
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
  expect(keys).toEqual([]);
  expect(JSON.stringify(model.requests[1])).toContain("expired");
});

it("asks about the calls of a round one by one, and each decision is its own call's", async () => {
  const calls = ["a", "b"].map((title) => ({ call: "add", arguments: { title } }));
  const { open, runtime, run, keys, tenant } = await openAsking([asking("p")], { script: [calls, "ok"] });
  const [first, second] = await open();
  await runtime.decisions.decide(second?.id ?? "", { action: "approve" });
  expect(await soon(run.outcome())).toMatchObject({ status: "waiting", open: [{ id: first?.id }] });
  expect(keys).toEqual([second?.id]);
  await runtime.decisions.decide(first?.id ?? "", { action: "deny" });
  expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  expect(keys).toEqual([second?.id]);
  await assertConsistent(tenant, "t1");
});
