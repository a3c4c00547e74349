import { expect, it, vi } from "vitest";
import { describeWithService } from "../../../../test/support/describe-with-service.ts";
import { assertConsistent } from "../support/assert-consistent.ts";
import { CLIENT, call, SHORT_LEASE, useFleets } from "./support/use-fleet.ts";

// Processes take their time to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

describeWithService("postgres", "processes that share work", (service) => {
  const openFleet = useFleets(service);

  it("do all of it, each some, and nothing twice", async () => {
    const { start, tenant } = await openFleet();
    const [client, ...workers] = await Promise.all([
      start(CLIENT),
      ...Array.from({ length: 4 }, () => start({ maxActiveRuns: 2, pollMs: 200 })),
    ]);
    const threads = Array.from({ length: 24 }, (_, index) => `thread-${index}`);
    const runs = await Promise.all(
      threads.map((threadId) => client.ask("start", { threadId, input: call("work", { ms: 150 }) })),
    );
    const outcomes = await Promise.all(runs.map((runId) => client.ask("outcome", { runId })));
    for (const outcome of outcomes) expect(outcome).toMatchObject({ status: "done", text: "told: worked 150 ms" });
    const shares = workers.map(({ executions }) => executions.map(({ key }) => key));
    for (const share of shares) expect(share.length).toBeGreaterThan(0);
    expect(shares.flat().toSorted()).toEqual(runs.map((runId) => `${runId}-s1-c0`).toSorted());
    expect(client.executions).toEqual([]);
    for (const thread of threads) await assertConsistent(tenant, thread);
  });

  it("take over the run of one that is killed when its lease has run out", async () => {
    const { start, tenant } = await openFleet();
    const [dying, other] = await Promise.all([start(SHORT_LEASE), start(SHORT_LEASE)]);
    const runId = await dying.ask("start", { threadId: "t1", input: call("work", { ms: 3_000 }) });
    const key = await dying.executing("work");
    dying.signal("SIGKILL");
    await other.executing("work");
    expect(other.executions).toEqual([{ tool: "work", key }]);
    expect(await other.ask("outcome", { runId })).toMatchObject({ status: "done", run: { recoveries: 0 } });
    await assertConsistent(tenant, "t1");
  });

  it("take up at once what they left themselves, when they start again under their name", async () => {
    const { start, tenant } = await openFleet();
    // Longer than the test: nobody gets the run by waiting.
    const long = { ...SHORT_LEASE, leaseMs: 3_600_000 };
    const dying = await start(long, "the-one");
    const runId = await dying.ask("start", { threadId: "t1", input: call("work", { ms: 3_000 }) });
    await dying.executing("work");
    dying.signal("SIGKILL");
    await dying.exited;
    const again = await start(long, "the-one");
    await again.executing("work");
    expect(await again.ask("outcome", { runId })).toMatchObject({ status: "done" });
    await expect(start(long, "the-one")).rejects.toMatchObject({ code: "STORE_OWNED" });
    await assertConsistent(tenant, "t1");
  });

  it("refuse one that stood still when it comes back, and it stops itself", async () => {
    const { start, tenant } = await openFleet();
    const [frozen, other] = await Promise.all([start(SHORT_LEASE), start(SHORT_LEASE)]);
    const runId = await frozen.ask("start", { threadId: "t1", input: call("work", { ms: 3_000 }) });
    await frozen.executing("work");
    frozen.signal("SIGSTOP");
    await other.executing("work");
    expect(await other.ask("outcome", { runId })).toMatchObject({ status: "done", text: "told: worked 3000 ms" });
    const before = await tenant.readChangesets("t1", 0);
    frozen.signal("SIGCONT");
    // Its tool is over by now, and so is its claim. It answers, so it is awake; then it has nothing more to do with the run.
    await expect.poll(() => frozen.ask("logged", {})).toContainEqual(expect.stringContaining("claim is lost"));
    expect(await tenant.readChangesets("t1", 0)).toEqual(before);
    await assertConsistent(tenant, "t1");
    const next = await frozen.ask("start", { threadId: "t2", input: "hello" });
    expect(await frozen.ask("outcome", { runId: next })).toMatchObject({ status: "done", text: "heard: hello" });
  });
});
