import { addSessionContext } from "@reprise/contracts";
import { definePlugin, defineTool } from "@reprise/runtime";
import { expect, it } from "vitest";
import { deadModel } from "./replay-support/record.ts";
import { openRuntime } from "./support/open-runtime.ts";
import { soon } from "./support/wait.ts";

/** A runtime whose hooks and tools write down the resource they see. */
async function openWatched() {
  const seen: (string | undefined)[] = [];
  const watch = definePlugin({
    id: "watch",
    hooks: {
      beforeInference: ({ resourceId }) => {
        seen.push(resourceId);
        return [addSessionContext(`resource ${resourceId}`)];
      },
    },
  });
  const look = defineTool({
    id: "look",
    description: "Looks.",
    execute: (_, { identity }) => {
      seen.push(identity.resourceId);
      return "done";
    },
  });
  const script = Array.from({ length: 9 }, (_, turn) => (turn % 2 === 0 ? [{ call: "look" }] : "done"));
  const options = { script, tools: [look], agent: { plugins: [watch] } };
  return { ...(await openRuntime(options)), options, seen };
}

it("shows plugins and tools the resource of the thread, whatever a later request says", async () => {
  const { runtime, seen } = await openWatched();
  const start = { agent: "agent", threadId: "t1", input: "go" } as const;
  await soon((await runtime.start({ ...start, resourceId: "ada" })).outcome());
  expect(seen.splice(0)).toEqual(["ada", "ada", "ada"]);
  await soon((await runtime.start(start)).outcome());
  expect(seen.splice(0)).toEqual(["ada", "ada", "ada"]);
  await soon((await runtime.start({ ...start, resourceId: "eve" })).outcome());
  expect(seen.splice(0)).toEqual(["ada", "ada", "ada"]);
  expect(await runtime.threads.get("t1")).toMatchObject({ resource_id: "ada" });
  expect((await runtime.runs({ threadId: "t1" })).items.map(({ resource_id }) => resource_id)).toEqual([
    "ada",
    "ada",
    "ada",
  ]);
});

it("shows the resource of the run when the thread has none", async () => {
  const { runtime, seen } = await openWatched();
  const start = { agent: "agent", threadId: "t1", input: "go" } as const;
  await soon((await runtime.start(start)).outcome());
  expect(seen.splice(0)).toEqual([undefined, undefined, undefined]);
  await soon((await runtime.start({ ...start, resourceId: "ada" })).outcome());
  expect(seen.splice(0)).toEqual(["ada", "ada", "ada"]);
});

it("replays a run with the resource of its thread", async () => {
  const bench = await openWatched();
  const start = { agent: "agent", threadId: "t1", input: "go" } as const;
  await soon((await bench.runtime.start({ ...start, resourceId: "ada" })).outcome());
  const run = await bench.runtime.start(start);
  await soon(run.outcome());
  const other = await openRuntime({ ...bench.options, world: bench, model: deadModel });
  expect(await soon(other.runtime.replay(run.id))).toMatchObject({ equal: true });
  expect(await soon(other.runtime.replay(run.id, { mode: "reexecute" }))).toMatchObject({ equal: true });
});
