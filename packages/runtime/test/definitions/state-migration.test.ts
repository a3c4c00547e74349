import { changeState, type Plugin } from "@reprise/contracts";
import { definePlugin } from "@reprise/runtime";
import { defineState, type Json } from "@reprise/state";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "../support/assert-consistent.ts";
import { freezeProcess } from "../support/frozen-env.ts";
import { createWorld, openRuntime, type World } from "../support/open-runtime.ts";
import { countingTool } from "../support/tools.ts";
import { collect, soon, until } from "../support/wait.ts";

const CALL = { call: "add", arguments: { title: "x" } };

/** A plugin that counts runs and steps: the first shape is a number, the second has a name for it. */
function counting(version: 1 | 2 | "broken", seen: unknown[] = []): Plugin {
  if (version === 1) {
    const runs = defineState({ path: "runs", initial: () => 0, actions: { up: (n) => n + 1 } });
    const steps = defineState({ path: "steps", scope: "run", initial: () => 0, actions: { up: (n) => n + 1 } });
    return definePlugin({
      id: "counting",
      states: [runs, steps],
      hooks: {
        runStart: ({ state }) => {
          seen.push(state.get(runs));
          return [changeState(runs.up())];
        },
        stepStart: () => [changeState(steps.up())],
      },
    });
  }
  const migrate = (stored: Json): { count: number } => {
    if (version === "broken") throw new Error("cannot read it");
    return { count: Number(stored) };
  };
  const shape = { version: 2, initial: () => ({ count: 0 }), migrate };
  const actions = { up: ({ count }: { readonly count: number }) => ({ count: count + 1 }) };
  const runs = defineState({ path: "runs", ...shape, actions });
  const steps = defineState({ path: "steps", scope: "run", ...shape, actions });
  return definePlugin({
    id: "counting",
    states: [runs, steps],
    hooks: {
      runStart: ({ state }) => {
        seen.push(state.get(runs), state.at(["runs"]));
        return [changeState(runs.up())];
      },
      stepStart: () => [changeState(steps.up())],
    },
  });
}

function open(world: World, plugin: Plugin, more: Partial<Parameters<typeof openRuntime>[0]> = {}) {
  return openRuntime({ world, script: () => "done", agent: { plugins: [plugin] }, ...more });
}

describe("issue 14.33: the state of a plugin whose shape changed with a deploy", () => {
  it("is migrated when a run begins, before any plugin reads it, and stays so", async () => {
    const world = createWorld();
    const before = await open(world, counting(1));
    await soon(before.runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "one" }));
    expect(await before.runtime.threads.state("t1")).toMatchObject({ runs: 1 });
    await before.runtime.close();

    const seen: unknown[] = [];
    const { runtime, tenant } = await open(world, counting(2, seen));
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "two" });
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(seen).toEqual([{ count: 1 }, { count: 1 }]);
    expect(await runtime.threads.state("t1")).toMatchObject({ runs: { count: 2 }, steps: { count: 1 } });
    const effects = (await tenant.readChangesets("t1", 0)).flatMap((changeset) => changeset.effects ?? []);
    expect(effects.filter(({ kind }) => kind === "migrate")).toMatchObject([{ of: "runs" }]);
    const deltas = (await collect(run)).flatMap((event) => (event.type === "state_delta" ? event.data.delta : []));
    expect(deltas).toContainEqual({ op: "replace", path: "/runs", value: { count: 1 } });

    await soon(runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "three" }));
    expect(seen).toHaveLength(4);
    expect(await runtime.threads.state("t1")).toMatchObject({ runs: { count: 3 } });
    const all = (await tenant.readChangesets("t1", 0)).flatMap((changeset) => changeset.effects ?? []);
    expect(
      all.filter(({ kind }) => kind === "migrate"),
      "once",
    ).toHaveLength(1);
    await assertConsistent(tenant, "t1");
    for (const { run_id } of (await runtime.runs()).items) {
      expect(await runtime.replay(run_id)).toMatchObject({ equal: true });
    }
  });

  it("is migrated for a run that waits over the deploy, its run-scoped state too, and the replay needs no plugin", async () => {
    const world = createWorld();
    const { tool } = countingTool({ needsApproval: true });
    const before = await open(world, counting(1), { script: () => [CALL], tools: [tool] });
    const { id } = await before.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await until(async () => (await before.runtime.decisions.list()).length === 1, "the question");
    await before.runtime.close();

    const after = await open(world, counting(2), { tools: [tool] });
    const [question] = await after.runtime.decisions.list();
    await after.runtime.decisions.decide(question?.id ?? "", { action: "approve" });
    const run = await after.runtime.run(id);
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(await after.runtime.threads.state("t1")).toMatchObject({ runs: { count: 2 }, steps: { count: 2 } });
    expect((await collect(run)).map(({ type }) => type)).toContain("definition_changed");
    await after.runtime.close();
    const elsewhere = await openRuntime({ world });
    expect(await elsewhere.runtime.replay(id)).toMatchObject({ equal: true });
  });

  it("is left to a newer process by one that knows only the earlier version", async () => {
    const world = createWorld();
    const newer = await open(world, counting(2));
    await soon(newer.runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "one" }));
    await newer.runtime.close();
    const older = await open(world, counting(1));
    const run = await older.runtime.start({ agent: "agent", threadId: "t1", input: "two" });
    await expect(soon(run.outcome())).rejects.toMatchObject({ code: "FORMAT_TOO_NEW" });
    expect(await run.record()).toMatchObject({ status: "running" });
    await older.runtime.close();
    const again = await open(world, counting(2));
    await world.env.advance(20_000);
    expect(await soon((await again.runtime.run(run.id)).outcome())).toMatchObject({ status: "done" });
    expect(await again.runtime.threads.state("t1")).toMatchObject({ runs: { count: 2 } });
  });

  it("fails the run that cannot be migrated, naming the state, and is as it was for the next one", async () => {
    const world = createWorld();
    const before = await open(world, counting(1));
    await soon(before.runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "one" }));
    await before.runtime.close();
    const broken = await open(world, counting("broken"));
    const run = await broken.runtime.start({ agent: "agent", threadId: "t1", input: "two" });
    const outcome = await soon(run.outcome());
    expect(outcome).toMatchObject({ status: "failed", code: "PLUGIN_FAILED" });
    expect(JSON.stringify(outcome)).toContain("failed to migrate its state runs from version 1 to 2");
    expect(await broken.runtime.replay(run.id)).toMatchObject({ equal: true });
    await broken.runtime.close();
    const mended = await open(world, counting(2));
    await soon(mended.runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "three" }));
    expect(await mended.runtime.threads.state("t1")).toMatchObject({ runs: { count: 2 } });
  });

  it("is migrated again, to the same, by the process that takes over from one that died before its first commit", async () => {
    const world = createWorld();
    const before = await open(world, counting(1));
    await soon(before.runtime.runToCompletion({ agent: "agent", threadId: "t1", input: "one" }));
    await before.runtime.close();
    const stalling = () => [{ text: "…" }, { stall: true as const }];
    const dying = await open(world, counting(2), { ...freezeProcess(world), script: stalling });
    const run = await dying.runtime.start({ agent: "agent", threadId: "t1", input: "two" });
    await until(() => dying.model.requests.length === 1, "its model");
    const other = await open(world, counting(2));
    await world.env.advance(13_000);
    expect(await soon((await other.runtime.run(run.id)).outcome())).toMatchObject({ status: "done" });
    expect(await other.runtime.threads.state("t1")).toMatchObject({ runs: { count: 2 } });
    expect(await other.runtime.replay(run.id)).toMatchObject({ equal: true });
  });
});
