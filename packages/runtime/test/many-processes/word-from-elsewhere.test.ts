import { describe, expect, it, onTestFinished, vi } from "vitest";
import { describeWithService } from "../../../../test/support/describe-with-service.ts";
import { assertConsistent } from "../support/assert-consistent.ts";
import type { Worker } from "./support/start-worker.ts";
import { CLIENT, call, type Fleet, ONLY_TOLD, useFleets } from "./support/use-fleet.ts";

// Processes take their time to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const LONG_WORK = call("work", { ms: 600_000 });
const NOTE = call("note", { text: "milk" });

/** What another process can say to the owner of a run; resolves when it has come of it. */
const WORDS: Readonly<Record<string, (owner: Worker, client: Worker) => Promise<void>>> = {
  "a decision": async (owner, client) => {
    const runId = await owner.ask("start", { threadId: "t1", input: NOTE });
    await owner.ask("outcome", { runId });
    await client.ask("decide", { target: `${runId}-s1-c0`, verb: { action: "approve" } });
    await owner.executing("note");
    expect(await owner.ask("outcome", { runId })).toMatchObject({ status: "done", text: "told: noted milk" });
  },
  "a cancellation": async (owner, client) => {
    const runId = await owner.ask("start", { threadId: "t1", input: LONG_WORK });
    await owner.executing("work");
    await client.ask("cancel", { runId, reason: "enough" });
    expect(await owner.ask("outcome", { runId })).toMatchObject({
      status: "cancelled",
      run: { termination_detail: "enough" },
    });
  },
  "an interruption": async (owner, client) => {
    const runId = await owner.ask("start", { threadId: "t1", input: LONG_WORK });
    await owner.executing("work");
    const next = await client.ask("start", { threadId: "t1", input: "instead", whenBusy: "interrupt" });
    expect(await owner.ask("outcome", { runId: next })).toMatchObject({ status: "done", text: "heard: instead" });
    expect(await owner.ask("outcome", { runId })).toMatchObject({ status: "cancelled" });
  },
  "new work": async (owner, client) => {
    const runId = await client.ask("start", { threadId: "t1", input: call("work", { ms: 1 }) });
    await owner.executing("work");
    expect(await owner.ask("outcome", { runId })).toMatchObject({ status: "done" });
  },
};

describeWithService("postgres", "word from another process", (service) => {
  const openFleet = useFleets(service);

  describe("reaches the owner of a run that looks nowhere, because it is told", () => {
    it.each(Object.entries(WORDS))("%s", async (_, say) => {
      const { start, tenant } = await openFleet();
      const [owner, client] = await Promise.all([start(ONLY_TOLD), start({ ...CLIENT, ...ONLY_TOLD })]);
      await untilListening(owner, client);
      await say(owner, client);
      await assertConsistent(tenant, "t1");
    });
  });

  describe("reaches it also while nobody can tell it, because it looks", () => {
    it.each(Object.entries(WORDS))("%s", async (_, say) => {
      const fleet = await openFleet();
      const [owner, client] = await Promise.all([fleet.start(ONLY_TOLD), fleet.start(CLIENT)]);
      keepDeaf(fleet);
      await say(owner, client);
      await assertConsistent(fleet.tenant, "t1");
    });
  });
});

/** A connection that listens takes a moment: until then the owner would look, and not be told. */
async function untilListening(owner: Worker, client: Worker): Promise<void> {
  const runId = await client.ask("start", { threadId: "hello", input: "hello" });
  await owner.ask("outcome", { runId });
}

/** Ends every session that listens, as soon as there is one, until the test is over. */
function keepDeaf({ sql }: Fleet): void {
  let isOver = false;
  const ending = (async () => {
    while (!isOver) {
      await sql("select pg_terminate_backend(pid) from pg_stat_activity where query ilike 'listen %'");
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  onTestFinished(async () => {
    isOver = true;
    await ending;
  });
}
