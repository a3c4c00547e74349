import { changeState, type EffectContext, emitEffect, PHASES, RepriseError } from "@reprise/contracts";
import { expect, it } from "vitest";
import { failCommits, interceptStore } from "../support/intercept-store.ts";
import { createWorld } from "../support/open-runtime.ts";
import { gate, settle, soon } from "../support/wait.ts";
import { hookPlugin } from "./support/hook-plugin.ts";
import { openPlugins, playPlugins } from "./support/play-plugins.ts";
import { tally } from "./support/tally.ts";

const request = { agent: "agent", threadId: "t1", input: "go" } as const;

it.each(PHASES)("happens once what was asked for with it in %s is committed, never before", async (phase) => {
  let isAsked = false;
  const seen: unknown[] = [];
  const world = createWorld();
  const look = async (payload: unknown) => {
    const patches = (await world.store.forTenant("default").readPatches("t1", 0)).flatMap((each) => each.patches);
    seen.push([payload, patches.some(({ source }) => source === "plugin:p")]);
  };
  const once = () => {
    const actions = isAsked ? [] : [changeState(tally.add("x")), emitEffect("tell", { n: 1 })];
    isAsked = true;
    return actions;
  };
  await playPlugins([hookPlugin("p", phase, once, { states: [tally], effects: { tell: look } })], { world });
  await settle();
  expect(seen).toEqual([[{ n: 1 }, true]]);
});

it("knows its run, and happens in the order in which it was asked for", async () => {
  const seen: unknown[] = [];
  const tell = (payload: unknown, { runId: run_id, threadId: thread_id, tenant, signal }: EffectContext) => {
    seen.push([payload, run_id, thread_id, tenant, signal instanceof AbortSignal]);
  };
  const hook = () => [emitEffect("tell", 1), emitEffect("tell", 2)];
  const { run } = await playPlugins([hookPlugin("p", "run_start", hook, { effects: { tell } })], { script: ["ok"] });
  await settle();
  expect(seen).toEqual([1, 2].map((payload) => [payload, run.id, "t1", "default", true]));
});

it("never happens when the commit fails", async () => {
  const told: unknown[] = [];
  const world = createWorld();
  const refuse = (count: number) => (count === 1 ? new RepriseError("INVALID_REQUEST", "no") : undefined);
  const store = failCommits(world.store, refuse);
  const plugin = hookPlugin("p", "step_start", () => [emitEffect("tell")], {
    effects: { tell: (payload) => void told.push(payload) },
  });
  const { outcome } = await playPlugins([plugin], { world, store });
  expect(outcome.status).toBe("failed");
  await settle();
  expect(told).toEqual([]);
});

it("happens once when the answer to the commit is lost", async () => {
  const told: unknown[] = [];
  const world = createWorld();
  let lost = 0;
  const store = interceptStore(world.store, {
    tenant: (inner) => ({
      async commit(changeset, guard) {
        const committed = await inner.commit(changeset, guard);
        lost += 1;
        if (lost === 1) throw new RepriseError("STORE_UNAVAILABLE", "The answer was lost.");
        return committed;
      },
    }),
  });
  const plugin = hookPlugin("p", "step_start", ({ step }) => (step === 1 ? [emitEffect("tell")] : []), {
    effects: { tell: (payload) => void told.push(payload) },
  });
  const { runtime, env } = await openPlugins([plugin], { world, store });
  const run = await runtime.start(request);
  for (let turn = 0; turn < 20; turn += 1) {
    await settle();
    await env.advance(500);
  }
  expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
  expect(told).toEqual([null]);
});

it("never happens when another plugin of the phase fails", async () => {
  const told: unknown[] = [];
  const plugin = hookPlugin("p", "step_start", () => [emitEffect("tell")], {
    effects: { tell: (payload) => void told.push(payload) },
  });
  const failing = hookPlugin("failing", "step_start", async () => {
    throw new Error("boom");
  });
  await playPlugins([plugin, failing]);
  await settle();
  expect(told).toEqual([]);
});

it.each([
  [
    "throws",
    () => {
      throw new Error("boom");
    },
  ],
  ["rejects", () => Promise.reject(new Error("boom"))],
])("is only logged when it %s: the run does not notice", async (_, tell) => {
  const plugin = hookPlugin("p", "step_start", () => [emitEffect("tell")], { effects: { tell } });
  const { outcome, env, run } = await playPlugins([plugin], { script: ["ok"] });
  expect(outcome).toMatchObject({ status: "done", text: "ok" });
  await settle();
  const lines = env.lines.filter(({ message }) => message === "an effect failed");
  expect(lines).toMatchObject([
    { level: "error", details: { plugin: "p", key: "tell", run_id: run.id, problem: "boom" } },
  ]);
});

it("holds up no other work", async () => {
  const never = gate();
  const plugin = hookPlugin("p", "step_start", () => [emitEffect("tell")], { effects: { tell: () => never.promise } });
  expect((await playPlugins([plugin])).outcome).toMatchObject({ status: "done", text: "ok" });
});
