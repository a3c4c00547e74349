import { mcp } from "@reprise/plugins/mcp";
import type { RunHandle, Runtime } from "@reprise/runtime";
import { describe, expect, it } from "vitest";
import { openMcp } from "./open-mcp.ts";
import { serveLegacyTasks, serveModernTasks } from "./task-server.ts";

const RESEARCH = { call: "mcp__tasks__research" } as const;
const ERAS = [
  ["2025", serveLegacyTasks, "legacy"],
  ["2026", serveModernTasks, "modern"],
] as const;

async function toolSays(runtime: Runtime): Promise<string> {
  const { messages } = await runtime.threads.messages("t1");
  return JSON.stringify(messages.findLast(({ role }) => role === "tool")?.content);
}

function untilWaiting(run: RunHandle): Promise<void> {
  return expect.poll(async () => (await run.record())?.termination_code, { timeout: 10_000 }).toBe("time_waiting");
}

describe.each(ERAS)("a task of the %s era", (_, serve, protocol) => {
  it("is looked at until it is done, without a claim in between, and the run verifies by replay", async () => {
    const server = await serve();
    const options = { servers: { tasks: { url: server.url, protocol } } };
    const { runtime } = await openMcp({ script: [[RESEARCH], "done"], options });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await untilWaiting(run);
    expect(await runtime.decisions.list({ threadId: "t1" })).toEqual([]);
    await expect.poll(() => server.methods.filter((method) => method === "tasks/get").length).toBeGreaterThan(1);
    await server.finish("It is blue.");
    expect(await run.outcome()).toMatchObject({ status: "done" });
    expect(await toolSays(runtime)).toContain("It is blue.");
    expect(server.created()).toBe(1);
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
  });

  it("is continued by another process, which never saw it begin", async () => {
    const server = await serve();
    const options = { servers: { tasks: { url: server.url, protocol } } };
    const first = await openMcp({ script: [[RESEARCH], "done"], options });
    const run = await first.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await untilWaiting(run);
    await first.runtime.close();
    await server.finish("It is blue.");
    const { runtime } = await openMcp({ script: ["done"], options, world: first });
    expect(await (await runtime.run(run.id)).outcome()).toMatchObject({ status: "done" });
    expect(await toolSays(runtime)).toContain("It is blue.");
    expect(server.created()).toBe(1);
  });

  it("is cancelled at the server when its run is cancelled", async () => {
    const server = await serve();
    const { runtime } = await openMcp({
      script: [[RESEARCH], "done"],
      options: { servers: { tasks: { url: server.url, protocol } } },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await untilWaiting(run);
    await run.cancel();
    expect(await run.outcome()).toMatchObject({ status: "cancelled" });
    await expect.poll(() => server.isCancelled()).toBe(true);
  });

  it("is cancelled at the server when it takes longer than it may", async () => {
    const server = await serve();
    const { runtime } = await openMcp({
      script: [[RESEARCH], "done"],
      options: { servers: { tasks: { url: server.url, protocol, maxTaskMs: 1 } } },
    });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    expect(await run.outcome()).toMatchObject({ status: "done" });
    expect(await toolSays(runtime)).toContain("took longer than 1 ms");
    expect(await server.isCancelled()).toBe(true);
  });
});

describe("a task of the 2026 era", () => {
  async function openModern(server: Awaited<ReturnType<typeof serveModernTasks>>) {
    const plugin = mcp({ servers: { tasks: { url: server.url, protocol: "modern" } } });
    const { runtime } = await openMcp({ plugin, script: [[RESEARCH], "done"] });
    return { runtime, run: await runtime.start({ agent: "agent", threadId: "t1", input: "go" }) };
  }

  it("asks a person in the middle, and gets the answer", async () => {
    const server = await serveModernTasks({ asks: true });
    const { runtime, run } = await openModern(server);
    const list = () => runtime.decisions.list({ threadId: "t1" });
    await expect.poll(async () => (await list()).length, { timeout: 10_000 }).toBe(1);
    const [question] = await list();
    expect(question?.ticket?.suspension.message).toContain("Which topic?");
    await runtime.decisions.decide(question?.id ?? "", { action: "supply", result: { topic: "colours" } });
    await expect.poll(async () => (await run.record())?.status, { timeout: 10_000 }).toBe("done");
    expect(await toolSays(runtime)).toContain("colours");
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
  });

  it("is cancelled at the server when a person denies its question", async () => {
    const server = await serveModernTasks({ asks: true });
    const { runtime, run } = await openModern(server);
    const list = () => runtime.decisions.list({ threadId: "t1" });
    await expect.poll(async () => (await list()).length, { timeout: 10_000 }).toBe(1);
    await runtime.decisions.decide((await list())[0]?.id ?? "", { action: "deny" });
    await expect.poll(async () => (await run.record())?.status, { timeout: 10_000 }).toBe("done");
    expect((await run.record())?.termination_code).toBe("natural");
    expect(server.methods.filter((method) => method === "tasks/cancel")).toHaveLength(1);
  });

  it("fails the call with the server's words when it fails", async () => {
    const server = await serveModernTasks();
    const { runtime, run } = await openModern(server);
    await untilWaiting(run);
    server.fail("The library burned down.");
    expect(await run.outcome()).toMatchObject({ status: "done" });
    expect(await toolSays(runtime)).toContain("The library burned down.");
  });

  it("leaves an unknown outcome when the server does not know it any more", async () => {
    const server = await serveModernTasks();
    const { runtime, run } = await openModern(server);
    await untilWaiting(run);
    server.forget();
    await expect.poll(async () => (await runtime.decisions.list({ threadId: "t1" })).length).toBe(1);
    const [question] = await runtime.decisions.list({ threadId: "t1" });
    expect(question?.ticket?.suspension.action).toBe("unknown_outcome");
  });
});
