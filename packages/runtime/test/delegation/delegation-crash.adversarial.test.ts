import { awaitRun, type Tool, textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { dieAtCommit, type MortalProcess } from "../support/die-at-commit.ts";
import { createWorld, type World } from "../support/open-runtime.ts";
import { soon, until } from "../support/wait.ts";

const delegate = defineTool({
  id: "delegate",
  description: "Has the worker work.",
  inputSchema: { type: "object" },
  idempotent: true,
  execute: async (_, { runs }) => awaitRun(await runs.start({ agentId: "worker", prompt: "look" })),
});

async function open(
  world: World,
  process: Partial<MortalProcess> = {},
  instanceId = "first",
  tools: readonly Tool[] = [],
) {
  const { env = world.env, store = world.store } = process;
  const boss = scriptedModel(
    ({ messages }) => (messages.at(-1)?.role === "tool" ? `got ${textOf(messages.at(-1) ?? { content: "" })}` : CALL),
    "boss",
  );
  const [gate] = tools;
  const working = gate === undefined ? "found it" : [{ call: gate.descriptor.id, arguments: {} }];
  const worker = scriptedModel(() => working, "worker");
  const runtime = await createRuntime({
    ...world,
    env,
    store,
    instanceId,
    agents: [
      defineAgent({ id: "boss", model: boss, tools: [delegate] }),
      defineAgent({ id: "worker", model: worker, tools }),
    ],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { runtime, boss, worker };
}

const CALL = [{ call: "delegate", arguments: {} }] as const;

it.each(
  Array.from({ length: 9 }, (_, index) => index + 1).flatMap((commit) => [
    [commit, "before"] as const,
    [commit, "after"] as const,
  ]),
)("ends with one child and one answer when the process dies at commit %i, %s it", async (commit, moment) => {
  const world = createWorld();
  const mortal = dieAtCommit(world, commit, moment);
  const first = await open(world, mortal);
  const run = await first.runtime.start({ agent: "boss", threadId: "above", input: "go" }).catch(() => undefined);
  const settled = run?.outcome().then(
    () => true,
    () => true,
  );
  let isDone = false;
  void settled?.then(() => (isDone = true));
  await until(() => mortal.isDead() || isDone);
  const second = await open(world, {}, "second");
  await world.env.advance(13_000);
  const runId = run?.id ?? (await second.runtime.runs()).items.find(({ agent_id }) => agent_id === "boss")?.run_id;
  // A request that was never accepted began nothing.
  if (runId === undefined) return expect((await second.runtime.runs()).items).toEqual([]);
  const outcome = await soon((await second.runtime.run(runId)).outcome());
  expect(outcome).toMatchObject({ status: "done", text: expect.stringContaining('"output":"found it"') });
  const { items } = await second.runtime.runs({ limit: 10 });
  expect(items.map(({ agent_id, status }) => `${agent_id} ${status}`).toSorted()).toEqual(["boss done", "worker done"]);
  for (const { run_id } of items) expect(await soon(second.runtime.replay(run_id))).toMatchObject({ equal: true });
});

/** A tool that ends only when it is stopped. */
const endless = defineTool({
  id: "endless",
  description: "Waits.",
  inputSchema: { type: "object" },
  idempotent: true,
  execute: (_, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
});

it.each([
  ["before its next owner looks", true],
  ["after its next owner has executed the call again", false],
])("cancels the child of a run whose process died right after it started the child, %s", async (_, isEarly) => {
  const world = createWorld();
  // The commit that would have suspended the call of the boss.
  const mortal = dieAtCommit(world, 2, "before");
  const first = await open(world, mortal, "first", [endless]);
  const run = await first.runtime.start({ agent: "boss", threadId: "above", input: "go" });
  await until(mortal.isDead);
  const tenant = world.store.forTenant("default");
  if (isEarly) await tenant.requestCancel(run.id, "enough");
  const second = await open(world, {}, "second", [endless]);
  await world.env.advance(13_000);
  if (!isEarly) {
    await until(async () => (await tenant.loadRun(run.id))?.awaits_runs === true);
    await (await second.runtime.run(run.id)).cancel();
  }
  expect(await soon((await second.runtime.run(run.id)).outcome())).toMatchObject({ status: "cancelled" });
  const family = async () => (await second.runtime.runs({ limit: 10 })).items;
  await until(async () => (await family()).every(({ status }) => status === "done"));
  expect((await family()).map(({ termination_code }) => termination_code)).toEqual(["cancelled", "cancelled"]);
  for (const { run_id } of await family())
    expect(await soon(second.runtime.replay(run_id))).toMatchObject({ equal: true });
});
