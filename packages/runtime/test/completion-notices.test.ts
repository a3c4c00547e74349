import { textOf } from "@reprise/contracts";
import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { dieAtCommit, type MortalProcess } from "./support/die-at-commit.ts";
import { createWorld, type World } from "./support/open-runtime.ts";
import { soon, until } from "./support/wait.ts";

/** A runtime with an agent that delegates and one that works. */
async function openPair(world: World, process: Partial<MortalProcess & { readonly instanceId: string }> = {}) {
  const boss = scriptedModel(({ messages }) => `heard: ${textOf(messages.at(-1) ?? { content: "" })}`, "boss");
  const worker = scriptedModel(() => "found it", "worker");
  const { instanceId, env = world.env, store = world.store } = process;
  const runtime = await createRuntime({
    ...world,
    env,
    store,
    agents: [defineAgent({ id: "boss", model: boss }), defineAgent({ id: "worker", model: worker })],
    limits: { closeTimeoutMs: 1 },
    ...(instanceId !== undefined && { instanceId }),
  });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return { runtime, boss };
}

describe("issue 14.12: a run that reports to the thread above", () => {
  it("tells it in one internal message, sent by the run, when it is over", async () => {
    const world = createWorld();
    const { runtime, boss } = await openPair(world);
    const parent = await runtime.start({ agent: "boss", threadId: "above", input: "go" });
    await soon(parent.outcome());
    const child = await runtime.start({
      agent: "worker",
      threadId: "below",
      input: "look",
      parentRunId: parent.id,
      parentThreadId: "above",
    });
    await soon(child.outcome());
    await until(() => boss.requests.length === 2);
    const { items } = await runtime.mailbox.list({ threadId: "above" });
    expect(items.find(({ sender_id }) => sender_id !== undefined)).toMatchObject({
      sender_id: `run:${child.id}`,
      dedupe_key: `parent-task-completion:${parent.id}:${child.id}`,
    });
    const [notice] = (await runtime.threads.messages("above", { visibility: "internal" })).messages;
    expect(notice?.role).toBe("user");
    expect(textOf(notice ?? { content: "" })).toContain("found it");
    expect((await soon(runtime.replay(child.id))).equal).toBe(true);
  });

  it("tells it once, also when its owner dies before its end is committed", async () => {
    const world = createWorld();
    const first = await openPair(world, { instanceId: "first" });
    const parent = await first.runtime.start({ agent: "boss", threadId: "above", input: "go" });
    await soon(parent.outcome());
    await soon(first.runtime.close());
    const mortal = dieAtCommit(world, 2, "before");
    const second = await openPair(world, { ...mortal, instanceId: "second" });
    const child = await second.runtime.start({
      agent: "worker",
      threadId: "below",
      input: "look",
      parentRunId: parent.id,
      parentThreadId: "above",
    });
    await until(mortal.isDead);
    const third = await openPair(world, { instanceId: "third" });
    await world.env.advance(13_000);
    const [after] = await Promise.all([soon((await third.runtime.run(child.id)).outcome())]);
    expect(after).toMatchObject({ status: "done", text: "found it" });
    await until(() => third.boss.requests.length === 1);
    const notices = (await third.runtime.threads.messages("above", { visibility: "internal" })).messages;
    expect(notices).toHaveLength(1);
    expect((await soon(third.runtime.replay(child.id))).equal).toBe(true);
  });

  it("says nothing when no thread above is named", async () => {
    const { runtime, boss } = await openPair(createWorld());
    const parent = await runtime.start({ agent: "boss", threadId: "above", input: "go" });
    await soon(parent.outcome());
    const child = await runtime.start({ agent: "worker", threadId: "below", input: "look", parentRunId: parent.id });
    await soon(child.outcome());
    expect((await runtime.mailbox.list({ threadId: "above" })).items).toHaveLength(1);
    expect(boss.requests).toHaveLength(1);
  });
});
