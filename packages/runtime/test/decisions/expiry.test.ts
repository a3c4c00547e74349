import { suspendCall, suspendTool, type Tool, toolPending, toolResult } from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { interceptStore } from "../support/intercept-store.ts";
import { type Bench, createWorld, type OpenOptions, openRuntime, type World } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { collect, settle, soon, until } from "../support/wait.ts";
import { byHistory, resultOf, resultsIn } from "./support/by-history.ts";
import { assertSettled, assertValid } from "./support/settled.ts";

/** Titles are how long the question stays open, in milliseconds; `open` asks without an end. */
function expiring(): { readonly tool: Tool; readonly keys: readonly string[] } {
  return countingTool({
    execute({ title }, { decision }) {
      if (decision !== undefined) return `went on with ${title}`;
      const limit = title === "open" ? {} : { expires_in_ms: Number(title) };
      return suspendTool({ action: "soon", ...limit });
    },
  });
}

async function ask(titles: readonly string[], options: OpenOptions = {}) {
  const { tool, keys } = expiring();
  const calls = titles.map((title) => ({ call: "add", arguments: { title } }));
  const bench = await openRuntime({ script: byHistory([calls, "after"]), tools: [tool], ...options });
  const run = await bench.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await soon(run.outcome(), "the questions");
  const ids = titles.map((_, index) => `${run.id}-s1-c${index}`);
  return { ...bench, run, ids, id: ids[0] ?? "", keys };
}

/** Another process, with the same agent, on the same store. */
async function join(world: World, titles: readonly string[]): Promise<Bench> {
  const calls = titles.map((title) => ({ call: "add", arguments: { title } }));
  return openRuntime({ world, script: byHistory([calls, "after"]), tools: [expiring().tool] });
}

describe("a question that runs out", () => {
  it("counts as denied, and the model is told", async () => {
    const { run, id, env, model, tenant, keys, runtime } = await ask(["5000"]);
    expect((await runtime.decisions.list())[0]).toMatchObject({ expires_at: env.clock.now() + 5_000 });
    await env.advance(4_900);
    expect(await run.record()).toMatchObject({ status: "waiting" });
    await env.advance(2_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(keys, "it ran to ask, and not again").toHaveLength(1);
    expect(await tenant.loadCall(run.id, id)).toMatchObject({ status: "cancelled" });
    expect(JSON.parse(resultOf(model.requests[1], id) ?? "")).toMatchObject({ error: { code: "expired" } });
    const events = await collect(run, { follow: true });
    expect(events.filter(({ type }) => type === "tool_call_cancelled")).toMatchObject([
      { data: { id, reason: "expired" } },
    ]);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it("is noticed by another process when the one that asked is gone", async () => {
    const world = createWorld();
    const first = await ask(["5000"], { world });
    await first.runtime.close();
    const other = await join(world, ["5000"]);
    await world.env.advance(8_000);
    const run = await other.runtime.run(first.run.id);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(resultOf(other.model.requests[0], first.id)).toContain("expired");
    await assertSettled(other.tenant, "t1");
  });

  it("is noticed by a process that comes long after", async () => {
    const world = createWorld();
    const first = await ask(["5000"], { world });
    await first.runtime.close();
    await world.env.advance(3_600_000);
    const other = await join(world, ["5000"]);
    await world.env.advance(2_000);
    const run = await other.runtime.run(first.run.id);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
    await assertSettled(other.tenant, "t1");
  });

  it("runs out for questions of plugins and of tools with a whole result", async () => {
    const plugin = definePlugin({
      id: "guard",
      hooks: { beforeToolExecute: () => [suspendCall({ action: "soon", expiresInMs: 5_000 })] },
    });
    const asked = countingTool();
    const pending = countingTool({
      execute: (input, { identity }) =>
        toolResult(
          toolPending("add", {
            suspension: { id: `${identity.callId}-mine`, action: "soon" },
            pending: { id: identity.callId, name: "add", arguments: input },
            resume_mode: "pass_decision_to_tool",
            expires_in_ms: 5_000,
          }),
        ),
    });
    for (const [tool, plugins] of [
      [asked.tool, [plugin]],
      [pending.tool, []],
    ] as const) {
      const script = byHistory([[{ call: "add", arguments: { title: "x" } }], "after"]);
      const { runtime, env, tenant } = await openRuntime({ script, tools: [tool], agent: { plugins } });
      const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
      await soon(run.outcome());
      await env.advance(7_000);
      expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
      await assertSettled(tenant, "t1");
    }
    expect([asked.keys.length, pending.keys.length]).toEqual([0, 1]);
  });

  it("has its own time among others", async () => {
    const { runtime, run, ids, env, model, tenant } = await ask(["9000", "3000", "open", "6000"]);
    const open = async () => (await runtime.decisions.list()).map(({ id }) => ids.indexOf(id));
    await env.advance(5_000);
    await settle();
    expect(await open()).toEqual([0, 2, 3]);
    await runtime.decisions.decide(ids[3] ?? "", { action: "approve" });
    await settle();
    expect(await open()).toEqual([0, 2]);
    await env.advance(3_000);
    await settle();
    expect(await open(), "one that was decided does not run out").toEqual([0, 2]);
    await env.advance(5_000);
    await settle();
    expect(await open()).toEqual([2]);
    expect(model.requests).toHaveLength(1);
    await runtime.decisions.decide(ids[2] ?? "", { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(resultsIn(model.requests[1]).map(([, text]) => text)).toEqual([
      expect.stringContaining("expired"),
      expect.stringContaining("expired"),
      "went on with open",
      "went on with 6000",
    ]);
    assertValid(model.requests);
    await assertSettled(tenant, "t1");
  });

  it("that is asked again has its time again", async () => {
    const { tool } = countingTool({
      execute: (_, { decision }) =>
        decision?.result === "enough" ? "ok" : suspendTool({ action: "soon", expiresInMs: 5_000 }),
    });
    const script = byHistory([[{ call: "add", arguments: { title: "x" } }], "after"]);
    const { runtime, env, tenant } = await openRuntime({ script, tools: [tool] });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await soon(run.outcome());
    await env.advance(4_000);
    await runtime.decisions.decide(`${run.id}-s1-c0`, { action: "supply", result: "more" });
    await until(async () => (await runtime.decisions.list())[0]?.suspension === 2, "the second question");
    await env.advance(3_000);
    expect((await run.record()).status, "the first question's time is over, the second's is not").toBe("waiting");
    await runtime.decisions.decide(`${run.id}-s1-c0`, { action: "supply", result: "enough" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    await env.advance(20_000);
    await assertSettled(tenant, "t1");
  });
});

describe("a decision on a question that runs out", () => {
  it("wins when it comes in time, and nothing happens when the time is up", async () => {
    const { runtime, run, id, env, model, tenant, keys } = await ask(["5000"]);
    await env.advance(4_900);
    await runtime.decisions.decide(id, { action: "approve" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
    await env.advance(60_000);
    expect(keys).toHaveLength(2);
    expect(resultOf(model.requests[1], id)).toBe("went on with 5000");
    await assertSettled(tenant, "t1");
  });

  it("wins when it came in time and no process ran until the time was up", async () => {
    const world = createWorld();
    const first = await ask(["5000"], { world });
    await first.runtime.close();
    await world.env.advance(4_000);
    await first.runtime.decisions.decide(first.id, { action: "approve" });
    await world.env.advance(60_000);
    const other = await join(world, ["5000"]);
    const run = await other.runtime.run(first.run.id);
    await world.env.advance(2_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(resultOf(other.model.requests[0], first.id)).toBe("went on with 5000");
    await assertSettled(other.tenant, "t1");
  });

  it("made again gets the same answer, also when the time is up meanwhile", async () => {
    const world = createWorld();
    const { runtime, id, env } = await ask(["5000"], { world });
    await runtime.close();
    const first = await runtime.decisions.decide(id, { action: "approve" });
    await env.advance(6_000);
    expect(await runtime.decisions.decide(id, { action: "approve" })).toEqual(first);
  });

  it.each(["another call waits", "the run is done"])("is refused when it comes too late and %s", async (state) => {
    const { runtime, run, id, env, keys, tenant } = await ask(
      state === "the run is done" ? ["5000"] : ["5000", "open"],
    );
    await env.advance(8_000);
    await until(async () => (await tenant.loadCall(run.id, id))?.status === "cancelled", "the end of the time");
    if (state === "the run is done") await until(async () => (await run.record()).status === "done", "the end");
    const executed = keys.length;
    const late = runtime.decisions.decide(id, { action: "approve" });
    const code = state === "the run is done" ? "RUN_NOT_ACTIVE" : "NOT_SUSPENDED";
    await expect(late).rejects.toMatchObject({ code });
    await settle();
    expect(keys).toHaveLength(executed);
  });

  it.each(["decide", "request"])("is refused when it comes too late and nobody has noticed yet, by %s", async (how) => {
    const world = createWorld();
    const { runtime, run, id, env, tenant } = await ask(["5000"], { world });
    await runtime.close();
    await env.advance(5_000);
    const store = interceptStore(world.store, { operator: () => ({ claim: async () => [] }) });
    const reader = await openRuntime({ world, store });
    const late =
      how === "decide"
        ? reader.runtime.decisions.decide(id, { action: "approve" })
        : reader.runtime.submit({
            agent_id: "agent",
            thread_id: "t1",
            messages: [],
            initial_decisions: [{ target_id: id, action: "resume" }],
          });
    await expect(late).rejects.toMatchObject({ code: "NOT_SUSPENDED" });
    expect(await tenant.loadDecision(run.id, id, 1)).toBeUndefined();
  });
});

describe("a thread with a question that could run out", () => {
  it.each(["continue", "interrupt"] as const)("keeps no wake when the run is over by %s", async (whenBusy) => {
    const { runtime, run, env, tenant } = await ask(["5000", "9000"]);
    const next = await runtime.start({ agent: "agent", threadId: "t1", input: "never mind", whenBusy });
    await soon(next.outcome());
    expect(await run.record()).toMatchObject({ status: "done" });
    await assertSettled(tenant, "t1");
    await env.advance(30_000);
    await assertSettled(tenant, "t1");
    expect((await tenant.listRuns({ thread_id: "t1" })).items).toHaveLength(2);
  });

  it("keeps no wake when the run is cancelled", async () => {
    const { run, env, tenant } = await ask(["5000"]);
    await run.cancel();
    await until(async () => (await run.record()).status === "done", "the end");
    await env.advance(30_000);
    await assertSettled(tenant, "t1");
  });

  it("is not cut short when the time is up while another call of the round still runs", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { tool } = expiring();
    const slow = countingTool({ id: "slow", class: "read_only", timeoutMs: null, execute: () => promise });
    const { runtime, env, tenant, model } = await openRuntime({
      script: byHistory([
        [
          { call: "add", arguments: { title: "5000" } },
          { call: "slow", arguments: { title: "x" } },
        ],
        "after",
      ]),
      tools: [tool, slow.tool],
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(() => slow.keys.length === 1, "the slow call");
    await env.advance(9_000);
    resolve("slow result");
    await env.advance(2_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "after" });
    expect(resultsIn(model.requests[1]).map(([, text]) => text)).toEqual([
      expect.stringContaining("expired"),
      "slow result",
    ]);
    await assertSettled(tenant, "t1");
  });
});
