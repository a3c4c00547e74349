import { awaitRun, type Store, type Tool, textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool } from "@reprise/runtime";
import { expect, it, onTestFinished } from "vitest";
import { interceptStore } from "../support/intercept-store.ts";
import { createWorld, type World } from "../support/open-runtime.ts";
import { soon, until } from "../support/wait.ts";

const delegate = (background: boolean): Tool =>
  defineTool({
    id: "delegate",
    description: "Has the worker work.",
    inputSchema: { type: "object" },
    idempotent: true,
    execute: async (_, { runs }) => {
      const child = await runs.start({ agentId: "worker", prompt: "look", background });
      return background ? { ...child } : awaitRun(child);
    },
  });

async function open(world: World, background: boolean, store: Store, instanceId: string) {
  const boss = scriptedModel(
    ({ messages }) => (messages.some(({ role }) => role === "tool") ? "thanks" : [{ call: "delegate", arguments: {} }]),
    "boss",
  );
  const worker = scriptedModel(({ messages }) => `answer to ${textOf(messages.at(-1) ?? { content: "" })}`, "worker");
  const runtime = await createRuntime({
    ...world,
    store,
    instanceId,
    agents: [
      defineAgent({ id: "boss", model: boss, tools: [delegate(background)] }),
      defineAgent({ id: "worker", model: worker }),
    ],
    limits: { closeTimeoutMs: 1 },
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return runtime;
}

/** A process that dies at the last commit of a run of the worker: its end is told, and not stored. */
function dyingAtTheEnd(store: Store) {
  let isDead = false;
  const never = new Promise<never>(() => undefined);
  const dying = interceptStore(store, {
    tenant: (inner) => ({
      commit(changeset, guard) {
        isDead ||= changeset.runs.some(({ agent_id, status }) => agent_id === "worker" && status === "done");
        return isDead ? never : inner.commit(changeset, guard);
      },
      submit: (entry, claiming) => (isDead ? never : inner.submit(entry, claiming)),
    }),
    operator: (inner) => ({
      claim: (request) => (isDead ? never : inner.claim(request)),
      renew: (claims, leaseMs) => (isDead ? never : inner.renew(claims, leaseMs)),
      watch: (listener) => inner.watch((signal) => (isDead ? undefined : listener(signal))),
    }),
  });
  return { store: dying, isDead: () => isDead };
}

it.each([false, true])(
  "a run that told its end and lost its process ends as it was told, whatever was said to it since (background: %s)",
  async (background) => {
    const world = createWorld();
    const mortal = dyingAtTheEnd(world.store);
    const first = await open(world, background, mortal.store, "first");
    const run = await first.start({ agent: "boss", threadId: "above", input: "go" });
    await until(mortal.isDead);
    const second = await open(world, background, world.store, "second");
    const [child] = (await second.runs({ parentRunId: run.id })).items;
    const said = { threadId: child?.thread_id ?? "", input: "one more thing" };
    const more = await second.start({ agent: "worker", ...said, whenBusy: "steer" });
    await world.env.advance(13_000);
    const ended = await second.run(child?.run_id ?? "");
    expect(await soon(ended.outcome())).toMatchObject({ status: "done", text: "answer to look" });
    // The message is a run of its own.
    expect(await soon(more.outcome())).toMatchObject({ status: "done", text: "answer to one more thing" });
    expect(await soon((await second.run(run.id)).outcome())).toMatchObject({ status: "done", text: "thanks" });
    for (const { run_id } of (await second.runs({ limit: 10 })).items)
      expect(await soon(second.replay(run_id))).toMatchObject({ equal: true });
  },
);
