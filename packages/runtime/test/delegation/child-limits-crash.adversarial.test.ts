import { awaitRun } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { dieAtCommit, type MortalProcess } from "../support/die-at-commit.ts";
import { interceptStore } from "../support/intercept-store.ts";
import { createWorld, type World } from "../support/open-runtime.ts";
import { soon, until } from "../support/wait.ts";

const LIMITS = { limitTokens: 40_000, limitToolCalls: 5 };

/** With `reckless` a call is not repeated after a crash: a person decides what became of it. */
const delegate = (isReckless: boolean) =>
  defineTool({
    id: "delegate",
    description: "Has the worker work.",
    inputSchema: { type: "object" },
    idempotent: !isReckless,
    execute: async (_, { runs }) => awaitRun(await runs.start({ agentId: "worker", prompt: "look", limits: LIMITS })),
  });

const look = defineTool({
  id: "look",
  description: "Looks.",
  inputSchema: {},
  idempotent: true,
  execute: () => "seen",
});
const used = { usage: { promptTokens: 90, completionTokens: 10 } };

async function open(world: World, process: Partial<MortalProcess>, instanceId: string, isReckless = false) {
  const { env = world.env, store = world.store } = process;
  const script =
    (call: string) =>
    ({ messages }: { readonly messages: readonly { readonly role: string }[] }) =>
      messages.at(-1)?.role === "tool" ? [{ text: "done" }, used] : [{ call, arguments: {} }, used];
  const models = { boss: scriptedModel(script("delegate"), "boss"), worker: scriptedModel(script("look"), "worker") };
  const runtime = await createRuntime({
    ...world,
    env,
    store,
    instanceId,
    agents: [
      defineAgent({ id: "boss", model: models.boss, tools: [delegate(isReckless)] }),
      defineAgent({ id: "worker", model: models.worker, tools: [look] }),
    ],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { runtime, ...models };
}

const BEGIN = { agent: "boss", threadId: "above", input: "go", budget: { limitTokens: 100_000 } } as const;

/** Dies right before or after it writes a budget for the nth time. */
function dieAtBudget(world: World, nth: number, side: "before" | "after"): MortalProcess {
  const mortal = dieAtCommit(world, Number.POSITIVE_INFINITY, "before");
  let isDead = false;
  let writes = 0;
  const never = new Promise<never>(() => undefined);
  const { clock } = world.env;
  const env = {
    ...mortal.env,
    clock: {
      ...mortal.env.clock,
      now: clock.now,
      mono: clock.mono,
      sleep: async (ms: number, signal?: AbortSignal) => {
        await clock.sleep(ms, signal);
        if (isDead) await never;
      },
      after: (ms: number, callback: () => void) => clock.after(ms, () => (isDead ? undefined : callback())),
    },
  };
  const store = interceptStore(world.store, {
    tenant: (inner) => ({
      commit: (changeset, guard) => (isDead ? never : inner.commit(changeset, guard)),
      submit: (entry, claiming) => (isDead ? never : inner.submit(entry, claiming)),
      async saveDocument(document, expected) {
        if (document.kind === "budget") isDead ||= ++writes === nth;
        if (isDead && side === "before") return never;
        const saved = await inner.saveDocument(document, expected);
        return isDead ? never : saved;
      },
    }),
    operator: (inner) => ({
      watch: (listener) => inner.watch((signal) => (isDead ? undefined : listener(signal))),
    }),
  });
  return { env, store, isDead: () => isDead };
}

const sides = ["before", "after"] as const;
const deaths = [
  ...Array.from({ length: 12 }, (_, index) =>
    sides.map((side) => [`commit ${index + 1}`, side, (world: World) => dieAtCommit(world, index + 1, side)] as const),
  ),
  ...Array.from({ length: 12 }, (_, index) =>
    sides.map(
      (side) =>
        [`write ${index + 1} of the budget`, side, (world: World) => dieAtBudget(world, index + 1, side)] as const,
    ),
  ),
].flat();

it.each(deaths)("returns what it set aside, once, when the process dies at %s, %s it", async (_at, _side, die) => {
  const world = createWorld();
  const mortal = die(world);
  const first = await open(world, mortal, "first");
  const begun = first.runtime.start(BEGIN);
  let isDone = false;
  void begun
    .then((run) => run.outcome())
    .then(
      () => (isDone = true),
      () => undefined,
    );
  begun.catch(() => undefined);
  await until(() => mortal.isDead() || isDone);
  const second = await open(world, {}, "second");
  await world.env.advance(13_000);
  const boss = (await second.runtime.runs({ limit: 10 })).items.find(({ agent_id }) => agent_id === "boss");
  // A request that was never accepted set nothing aside.
  if (boss === undefined) return;
  expect(await soon((await second.runtime.run(boss.run_id)).outcome())).toMatchObject({ status: "done" });
  const { items } = await second.runtime.runs({ limit: 10 });
  expect(items.map(({ agent_id, status }) => `${agent_id} ${status}`).toSorted()).toEqual(["boss done", "worker done"]);
  const { spent, reserved, allotments } = await second.runtime.budgets.get(boss.run_id);
  expect([reserved, Object.values(allotments).map(({ held }) => held)]).toEqual([{}, [false]]);
  // A request whose end its process did not live to write counts as the whole that was reserved for it.
  expect(spent.tokens).toBeGreaterThanOrEqual(400);
  expect(spent.tokens).toBeLessThanOrEqual(BEGIN.budget.limitTokens);
  for (const { run_id } of items) expect(await soon(second.runtime.replay(run_id))).toMatchObject({ equal: true });
});

it("returns what it set aside for a run that it never started, when it is cancelled after its process died", async () => {
  const world = createWorld();
  // Before it, the unknown price is noted, and the model call reserved and settled.
  const mortal = dieAtBudget(world, 4, "after");
  const first = await open(world, mortal, "first", true);
  const run = await first.runtime.start(BEGIN);
  await until(mortal.isDead);
  const second = await open(world, {}, "second", true);
  const set = Object.values((await second.runtime.budgets.get(run.id)).allotments);
  expect(set).toEqual([expect.objectContaining({ limit_tokens: 40_000, held: true })]);
  await world.env.advance(13_000);
  await until(async () => (await second.runtime.decisions.list()).length === 1);
  await (await second.runtime.run(run.id)).cancel();
  expect(await soon((await second.runtime.run(run.id)).outcome())).toMatchObject({ status: "cancelled" });
  const { allotments, spent } = await second.runtime.budgets.get(run.id);
  expect([Object.values(allotments).map(({ held }) => held), spent.tokens]).toEqual([[false], 100]);
});
