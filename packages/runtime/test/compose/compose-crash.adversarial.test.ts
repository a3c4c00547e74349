import { textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, parallel, refine, sequence } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { dieAtCommit, type MortalProcess } from "../support/die-at-commit.ts";
import { createWorld, type World } from "../support/open-runtime.ts";
import { soon, until } from "../support/wait.ts";

const wrap = (id: string) =>
  defineAgent({ id, model: scriptedModel(({ messages }) => `${id}(${textOf(messages.at(-1) ?? { content: "" })})`) });

/** A sequence of two agents at once and one that is judged. */
async function open(world: World, process: Partial<MortalProcess> = {}, instanceId = "first") {
  const { env = world.env, store = world.store } = process;
  const critic = scriptedModel(({ messages }) => (messages.length > 1 ? "PASS" : "Again."));
  const judged = refine({ id: "judged", generator: wrap("w"), critic: defineAgent({ id: "j", model: critic }) });
  const whole = sequence({
    id: "whole",
    steps: [
      parallel({ id: "both", steps: [wrap("a"), wrap("b")], maxConcurrency: 1 }),
      { agent: judged, input: "{input}" },
    ],
  });
  const runtime = await createRuntime({
    ...world,
    env,
    store,
    instanceId,
    agents: [whole],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return runtime;
}

const RUNS = ["a", "b", "both", "j", "j", "judged", "w", "w", "whole"];

it.each(
  Array.from({ length: 20 }, (_, index) => index * 2 + 1).flatMap((commit) => [
    [commit, "before"] as const,
    [commit + 1, "after"] as const,
  ]),
)("begins every step once when the process dies at commit %i, %s it", async (commit, moment) => {
  const world = createWorld();
  const mortal = dieAtCommit(world, commit, moment);
  const first = await open(world, mortal);
  const run = await soon(first.start({ agent: "whole", threadId: "t1", input: "in" }));
  let isDone = false;
  void run.outcome().then(
    () => (isDone = true),
    () => (isDone = true),
  );
  await until(() => mortal.isDead() || isDone);
  const second = await open(world, {}, "second");
  await world.env.advance(13_000);
  const again = await second.run(run.id);
  const text = "w(This was not accepted:\n\nAgain.\n\nAnswer again, with all of the answer.)";
  expect(await soon(again.outcome())).toMatchObject({ status: "done", text });
  const { items } = await second.runs({ limit: 50 });
  expect(items.map(({ agent_id }) => agent_id).toSorted()).toEqual(RUNS);
  for (const { run_id, status } of items) {
    expect(status).toBe("done");
    expect(await soon(second.replay(run_id))).toMatchObject({ equal: true });
  }
});
