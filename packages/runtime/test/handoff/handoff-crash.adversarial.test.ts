import { handOff, toolEffect } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { dieAtCommit, type MortalProcess } from "../support/die-at-commit.ts";
import { createWorld, type World } from "../support/open-runtime.ts";
import { soon, until } from "../support/wait.ts";

const send = defineTool({
  id: "send",
  description: "Hands the run to another agent.",
  inputSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  idempotent: true,
  execute: ({ to }: { to: string }) => toolEffect("sent", [handOff(to)]),
});

/** A process that has some of the agents: `a` hands the run to `b`, `b` to `c`, and `c` answers. */
async function open(world: World, ids: readonly string[], process: Partial<MortalProcess> = {}, instanceId = "first") {
  const { env = world.env, store = world.store } = process;
  const next: { readonly [id: string]: string } = { a: "b", b: "c" };
  const agents = ids.map((id) => {
    const to = next[id];
    const model = scriptedModel(() => (to === undefined ? "done by c" : [{ call: "send", arguments: { to } }]), id);
    return defineAgent({ id, model, tools: [send] });
  });
  const runtime = await createRuntime({ ...world, env, store, agents, instanceId, limits: { closeTimeoutMs: 1 } });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return runtime;
}

const COMMITS = Array.from({ length: 7 }, (_, index) => index + 1);

it.each(COMMITS.flatMap((commit) => [[commit, "before"] as const, [commit, "after"] as const]))(
  "takes each handoff once when the process dies at commit %i, %s it",
  async (commit, moment) => {
    const world = createWorld();
    const mortal = dieAtCommit(world, commit, moment);
    const first = await open(world, ["a", "b", "c"], mortal);
    const run = await soon(first.start({ agent: "a", threadId: "t1", input: "go" }));
    let isDone = false;
    void run.outcome().then(
      () => (isDone = true),
      () => (isDone = true),
    );
    await until(() => mortal.isDead() || isDone);
    const second = await open(world, ["a", "b", "c"], {}, "second");
    await world.env.advance(13_000);
    const again = await second.run(run.id);
    expect(await soon(again.outcome())).toMatchObject({ status: "done", text: "done by c" });
    expect(await again.record()).toMatchObject({ agent_path: ["a", "b", "c"] });
    const events = await soon(Array.fromAsync(again.events()));
    expect(events.filter(({ type }) => type === "agent_handoff").map(({ data }) => data)).toEqual([
      { from: "a", to: "b", number: 1 },
      { from: "b", to: "c", number: 2 },
    ]);
    expect(await soon(second.replay(run.id))).toMatchObject({ equal: true });
  },
);

it("is continued by a process that has the active agent, and by none that has only the first one", async () => {
  const world = createWorld();
  // The start is a submission. The commits: intent, results, handoff.
  const mortal = dieAtCommit(world, 3, "after");
  const first = await open(world, ["a", "b"], mortal);
  const run = await soon(first.start({ agent: "a", threadId: "t1", input: "go" }));
  await until(() => mortal.isDead());
  const loaded = await world.store.forTenant("default").loadRun(run.id);
  expect(loaded).toMatchObject({ status: "running", agent_path: ["a", "b"] });

  await open(world, ["a"], {}, "without b");
  await world.env.advance(60_000);
  expect(await world.store.forTenant("default").loadRun(run.id)).toMatchObject({ status: "running", steps: 1 });

  const able = await open(world, ["b", "c"], {}, "with b");
  await world.env.advance(60_000);
  const again = await able.run(run.id);
  expect(await soon(again.outcome())).toMatchObject({ status: "done", text: "done by c" });
  expect(await soon(able.replay(run.id))).toMatchObject({ equal: true });
});
