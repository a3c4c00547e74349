import { RepriseError } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { assertConsistent } from "./support/assert-consistent.ts";
import { freezeProcess } from "./support/frozen-env.ts";
import { failCommits, interceptStore } from "./support/intercept-store.ts";
import { createWorld, openRuntime } from "./support/open-runtime.ts";
import { countingTool } from "./support/tools.ts";
import { settle, soon } from "./support/wait.ts";

const SCRIPT = [[{ call: "add", arguments: { title: "x" } }], "ok"];
const full = () => new RepriseError("STORAGE_FULL", "There is no space left.");

describe("a store that is full", () => {
  it.each([1, 2, 3])(
    "at commit %i stops the run, tells who waits, and lets it go on when there is space",
    async (bad) => {
      const world = createWorld();
      let isFull = true;
      const store = failCommits(world.store, (count) => (count >= bad && isFull ? full() : undefined));
      const { tool } = countingTool({ idempotent: true });
      const { runtime, tenant } = await openRuntime({
        world,
        store,
        script: [...SCRIPT, ...SCRIPT, "ok"],
        tools: [tool],
      });
      const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
      const events = Array.fromAsync(run.events()).catch((error: unknown) => error);
      await expect(soon(run.outcome())).rejects.toMatchObject({ code: "STORAGE_FULL" });
      expect(await soon(events)).toMatchObject({ code: "STORAGE_FULL" });
      expect((await run.record()).status).toBe("running");
      // Not at once and not again and again: a model is asked each time.
      await world.env.advance(10_000);
      expect((await run.record()).recoveries).toBe(0);
      isFull = false;
      await world.env.advance(15_000);
      await settle();
      expect(await soon(run.outcome())).toMatchObject({ status: "done", text: "ok" });
      await assertConsistent(tenant, "t1");
    },
  );

  it("never makes the run poison, however long it is full", async () => {
    const world = createWorld();
    let isFull = true;
    const store = failCommits(world.store, () => (isFull ? full() : undefined));
    const { runtime } = await openRuntime({ world, store, script: Array.from({ length: 20 }, () => "ok") });
    const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    for (let minute = 0; minute < 8; minute += 1) {
      await settle();
      await world.env.advance(30_000);
    }
    isFull = false;
    await settle();
    await world.env.advance(30_000);
    expect(await soon(run.outcome())).toMatchObject({ status: "done" });
  });

  it("refuses a new run with its own error and keeps nothing of it", async () => {
    const world = createWorld();
    const store = interceptStore(world.store, { tenant: () => ({ submit: () => Promise.reject(full()) }) });
    const { runtime } = await openRuntime({ world, store });
    const start = runtime.start({ agent: "agent", threadId: "t1", input: "go" });
    await expect(start).rejects.toMatchObject({ code: "STORAGE_FULL", isRetryable: true });
    expect((await runtime.threads.list()).total).toBe(0);
  });
});

it("leaves a run whose rows a newer version wrote to newer processes", async () => {
  const world = createWorld();
  const tooNew = new RepriseError("FORMAT_TOO_NEW", "Its format is newer.");
  const store = failCommits(world.store, (count) => (count === 1 ? tooNew : undefined));
  const { runtime } = await openRuntime({ world, store, script: ["ok"] });
  const run = await runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await expect(soon(run.outcome())).rejects.toMatchObject({ code: "FORMAT_TOO_NEW" });
  expect((await run.record()).status).toBe("running");
});

it("ends a run whose acknowledged versions its store lost", async () => {
  const world = createWorld();
  const stuck = await openRuntime({ world, ...freezeProcess(world), script: [[{ stall: true }]] });
  const run = await stuck.runtime.start({ agent: "agent", threadId: "t1", input: "go" });
  await settle();
  await world.env.advance(13_000);
  const store = interceptStore(world.store, {
    operator: (inner) => ({
      claim: async (request) => (await inner.claim(request)).map((claim) => ({ ...claim, lost: { from: 2, to: 3 } })),
    }),
  });
  const next = await openRuntime({ world, store, script: ["never said"] });
  expect(await soon((await next.runtime.run(run.id)).outcome())).toMatchObject({
    status: "failed",
    code: "BUFFER_LOST",
    error: expect.stringContaining("versions 2 to 3"),
    run: { termination_code: "error:buffer_lost" },
  });
  await assertConsistent(next.tenant, "t1");
});
