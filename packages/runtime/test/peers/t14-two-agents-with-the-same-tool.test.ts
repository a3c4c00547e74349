import { scriptedModel } from "@reprise/models";
import { createRuntime, defineAgent, defineTool, type Runtime } from "@reprise/runtime";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { byHistory } from "../decisions/support/by-history.ts";
import { assertSettled } from "../decisions/support/settled.ts";
import { createWorld, type World } from "../support/open-runtime.ts";
import { soon } from "../support/wait.ts";

const SEND = { call: "send", arguments: { to: "ann" } } as const;

/** Two agents, each with its own tool `send`, given by value; what ran is noted with its owner's name. */
async function openTwo(world: World, ran: string[], order: readonly string[]): Promise<Runtime> {
  const agentOf = (id: string) =>
    defineAgent({
      id,
      model: scriptedModel(byHistory([[SEND], `${id} is done`]), `model of ${id}`),
      tools: [
        defineTool({
          id: "send",
          description: `Sends for ${id}.`,
          inputSchema: z.object({ to: z.string() }),
          needsApproval: true,
          execute: ({ to }) => {
            ran.push(`${id} to ${to}`);
            return `sent by ${id}`;
          },
        }),
      ],
    });
  const { env, store, blobs } = world;
  const runtime = await createRuntime({ agents: order.map(agentOf), env, store, blobs, limits: { closeTimeoutMs: 1 } });
  onTestFinished(() => void runtime.close().catch(() => undefined));
  return runtime;
}

async function textsOf(runtime: Runtime, threadId: string): Promise<readonly unknown[]> {
  return (await runtime.threads.messages(threadId)).messages.map(({ content }) => content);
}

/** T14. Elsewhere resuming a call can run another agent's tool that has the same id (mastra-ai/mastra#24795). */
describe("T14: two agents with tools of the same id", () => {
  it("a resumed call runs the tool of the agent it belongs to", async () => {
    const world = createWorld();
    const ran: string[] = [];
    const runtime = await openTwo(world, ran, ["mail", "chat"]);
    const runs = await Promise.all(
      ["mail", "chat"].map((agent) => runtime.start({ agent, threadId: `t-${agent}`, input: "go" })),
    );
    for (const run of runs) await soon(run.outcome());
    for (const { id } of (await runtime.decisions.list()).toReversed()) {
      await runtime.decisions.decide(id, { action: "approve" });
    }
    for (const run of runs) expect(await soon(run.outcome())).toMatchObject({ status: "done" });
    expect(ran.toSorted()).toEqual(["chat to ann", "mail to ann"]);
    expect(await textsOf(runtime, "t-mail")).toContain("sent by mail");
    expect(await textsOf(runtime, "t-chat")).toContain("sent by chat");
    for (const thread of ["t-mail", "t-chat"]) await assertSettled(world.store.forTenant("default"), thread);
  });

  it("also in another process, where the agents come in another order", async () => {
    const world = createWorld();
    const ran: string[] = [];
    const first = await openTwo(world, ran, ["mail", "chat"]);
    const run = await first.start({ agent: "chat", threadId: "t1", input: "go" });
    await soon(run.outcome());
    await first.close();
    const second = await openTwo(world, ran, ["chat", "mail"]);
    await second.decisions.decide(`${run.id}-s1-c0`, { action: "edit", arguments: { to: "bob" } });
    expect(await soon((await second.run(run.id)).outcome())).toMatchObject({ status: "done", text: "chat is done" });
    expect(ran).toEqual(["chat to bob"]);
  });

  it("also on one thread, where one agent's run follows the other's", async () => {
    const world = createWorld();
    const ran: string[] = [];
    const runtime = await openTwo(world, ran, ["mail", "chat"]);
    const first = await runtime.start({ agent: "mail", threadId: "t1", input: "go" });
    await soon(first.outcome());
    await runtime.decisions.decide(`${first.id}-s1-c0`, { action: "approve" });
    expect(await soon(first.outcome())).toMatchObject({ status: "done", text: "mail is done" });
    expect(ran).toEqual(["mail to ann"]);
    const second = await runtime.start({ agent: "chat", threadId: "t1", input: "and now" });
    await soon(second.outcome());
    expect(ran).toEqual(["mail to ann"]);
    await assertSettled(world.store.forTenant("default"), "t1");
  });
});
