import { describe, expect, it, onTestFinished, vi } from "vitest";
import { describeWithService } from "../../../../test/support/describe-with-service.ts";
import { assertConsistent } from "../support/assert-consistent.ts";
import type { Worker } from "./support/start-worker.ts";
import { CLIENT, call, type Fleet, ONLY_TOLD, timeOf, useFleets } from "./support/use-fleet.ts";

// Processes take their time to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const LONG_WORK = call("work", { ms: 60_000 });
const NOTE = call("note", { text: "milk" });

/** What another process can say to the owner of a run, and how long until it has come of it. */
const WORDS: Readonly<Record<string, (owner: Worker, client: Worker) => Promise<number>>> = {
  "a decision": async (owner, client) => {
    const runId = await owner.ask("start", { threadId: "t1", input: NOTE });
    await owner.ask("outcome", { runId });
    await client.ask("decide", { target: `${runId}-s1-c0`, verb: { action: "approve" } });
    const took = await timeOf(owner.executing("note"));
    expect(await owner.ask("outcome", { runId })).toMatchObject({ status: "done", text: "told: noted milk" });
    return took;
  },
  "a cancellation": async (owner, client) => {
    const runId = await owner.ask("start", { threadId: "t1", input: LONG_WORK });
    await owner.executing("work");
    await client.ask("cancel", { runId, reason: "enough" });
    const outcome = owner.ask("outcome", { runId });
    const took = await timeOf(outcome);
    expect(await outcome).toMatchObject({ status: "cancelled", run: { termination_detail: "enough" } });
    return took;
  },
  "an interruption": async (owner, client) => {
    const runId = await owner.ask("start", { threadId: "t1", input: LONG_WORK });
    await owner.executing("work");
    const next = await client.ask("start", { threadId: "t1", input: "instead", whenBusy: "interrupt" });
    const outcome = owner.ask("outcome", { runId: next });
    const took = await timeOf(outcome);
    expect(await outcome).toMatchObject({ status: "done", text: "heard: instead" });
    expect(await owner.ask("outcome", { runId })).toMatchObject({ status: "cancelled" });
    return took;
  },
  "new work": async (owner, client) => {
    const runId = await client.ask("start", { threadId: "t1", input: call("work", { ms: 1 }) });
    const took = await timeOf(owner.executing("work"));
    expect(await owner.ask("outcome", { runId })).toMatchObject({ status: "done" });
    return took;
  },
};

describeWithService("postgres", "word from another process", (service) => {
  const openFleet = useFleets(service);

  describe("reaches the owner of a run within a second, because it is told", () => {
    it.each(Object.entries(WORDS))("%s", async (_, say) => {
      const { start, tenant } = await openFleet();
      const [owner, client] = await Promise.all([start(ONLY_TOLD), start({ ...CLIENT, ...ONLY_TOLD })]);
      await untilListening(owner, client);
      expect(await say(owner, client)).toBeLessThan(1_000);
      await assertConsistent(tenant, "t1");
    });
  });

  describe("reaches it also while nobody can tell it, because it looks", () => {
    it.each(Object.entries(WORDS))("%s", async (_, say) => {
      const fleet = await openFleet();
      const [owner, client] = await Promise.all([fleet.start({ pollMs: 60_000 }), fleet.start(CLIENT)]);
      await untilListening(owner, client);
      keepDeaf(fleet);
      expect(await say(owner, client)).toBeLessThan(3_000);
      await assertConsistent(fleet.tenant, "t1");
    });
  });
});

/** A connection that listens takes a moment: until then work from elsewhere would come late. */
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
