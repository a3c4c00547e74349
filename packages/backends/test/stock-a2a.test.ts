import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { a2aBackend } from "@reprise/backends/a2a";
import { createNodeEnv } from "@reprise/node";
import { createRegistryBuilder, createRuntime } from "@reprise/runtime";
import { createMemoryBlobStore, createMemoryStore } from "@reprise/stores/memory";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

const env = createNodeEnv();

describe.each([
  ["HTTP+JSON", "streaming"],
  ["JSONRPC", "streaming"],
  ["HTTP+JSON", "polling"],
  ["JSONRPC", "polling"],
] as const)("an agent on the official A2A server, a process of its own, over %s by %s", (binding, way) => {
  const program = join(import.meta.dirname, "support/stock-agent.mjs");
  const child = spawn(process.execPath, [program, binding, way], { stdio: ["ignore", "pipe", "inherit"] });
  let url = "";
  beforeAll(async () => {
    [url] = await once(createInterface(child.stdout), "line");
  });
  afterAll(() => void child.kill());

  async function start(input: string) {
    const registries = createRegistryBuilder()
      .withBackend(a2aBackend())
      .withAgent({ id: "far", endpoint: { url, poll_interval_ms: 100 } })
      .build();
    const store = createMemoryStore({ clock: env.clock });
    const runtime = await createRuntime({ registries, store, blobs: createMemoryBlobStore(env), env });
    onTestFinished(() => runtime.close());
    return { runtime, run: await runtime.start({ agent: "far", input }) };
  }

  it("answers, and the run verifies by replay", async () => {
    const { runtime, run } = await start("hello");
    const deltas: string[] = [];
    for await (const event of run) if (event.type === "text_delta") deltas.push(event.data.delta);
    expect(await run.outcome()).toMatchObject({ status: "done", text: "You said: hello" });
    // Somebody who asks now and then may find all of it at once.
    if (way === "streaming") expect(deltas).toEqual(["You said: ", "hello"]);
    expect(await runtime.replay(run.id)).toMatchObject({ equal: true });
  });

  it("asks in words, and continues the same task with the answer", async () => {
    const { runtime, run } = await start("book me something to fly with");
    expect(await run.outcome()).toMatchObject({ status: "waiting" });
    const [open] = await runtime.decisions.list();
    expect(open?.ticket?.suspension.message).toBe("Which city?");
    await runtime.decisions.decide(open?.id ?? "", { action: "supply", result: "Oslo" });
    expect(await run.outcome()).toMatchObject({ status: "done", text: "Flying to Oslo." });
  });

  it("rejects, fails and is cancelled, and the run ends as its task did", async () => {
    const rejected = await start("dance");
    await rejected.run.outcome();
    expect(await rejected.run.record()).toMatchObject({
      termination_code: "stopped:rejected",
      termination_detail: "not my field",
    });
    const failed = await start("break");
    expect(await failed.run.outcome()).toMatchObject({ status: "failed", error: "it broke" });
    const { run } = await start("wait");
    await expect.poll(async () => (await run.record()).status).toBe("running");
    await run.cancel();
    expect(await run.outcome()).toMatchObject({ status: "cancelled" });
  });
});
