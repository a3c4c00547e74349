import { expect, it, vi } from "vitest";
import { describeWithService } from "../../../../test/support/describe-with-service.ts";
import { assertConsistent } from "../support/assert-consistent.ts";
import { call, useFleets } from "./support/use-fleet.ts";

// Processes take their time to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** So long that nobody could take over by waiting: what is taken over was given back. */
const LONG_LEASE = { leaseMs: 120_000, renewEveryMs: 1_000, pollMs: 200 } as const;

describeWithService("postgres", "a process that is told to end", (service) => {
  const openFleet = useFleets(service);

  it("finishes what it can, gives the rest back, and ends by itself", async () => {
    const { start, tenant } = await openFleet();
    const [closing, other] = await Promise.all([start({ ...LONG_LEASE, closeTimeoutMs: 1_500 }), start(LONG_LEASE)]);
    const short = await closing.ask("start", { threadId: "short", input: call("work", { ms: 700 }) });
    const long = await closing.ask("start", { threadId: "long", input: call("work", { ms: 5_000 }) });
    await closing.executing("work", 2);
    closing.signal("SIGTERM");
    expect(await closing.exited).toBe(0);
    expect(await tenant.loadRun(short)).toMatchObject({ status: "done", termination_code: "natural" });
    await other.executing("work");
    expect(other.executions).toEqual([{ tool: "work", key: `${long}-s1-c0` }]);
    // It was given back, not lost.
    expect(await other.ask("outcome", { runId: long })).toMatchObject({ status: "done", run: { recoveries: 0 } });
    for (const thread of ["short", "long"]) await assertConsistent(tenant, thread);
  });

  it("takes nothing new while it drains", async () => {
    const { start, tenant } = await openFleet();
    const [closing, other] = await Promise.all([
      start({ ...LONG_LEASE, closeTimeoutMs: 3_000 }),
      start({ ...LONG_LEASE, maxActiveRuns: 1 }),
    ]);
    await closing.ask("start", { threadId: "busy", input: call("work", { ms: 1_500 }) });
    await closing.executing("work");
    closing.signal("SIGTERM");
    const next = await other.ask("start", { threadId: "next", input: call("work", { ms: 100 }) });
    await expect(closing.ask("start", { threadId: "late", input: "hello" })).rejects.toThrow();
    expect(await other.ask("outcome", { runId: next })).toMatchObject({ status: "done" });
    expect(await closing.exited).toBe(0);
    expect(closing.executions).toHaveLength(1);
    expect((await tenant.listRuns({ thread_id: "busy" })).items).toMatchObject([{ status: "done" }]);
    expect(await tenant.loadThread("late")).toBeUndefined();
  });
});
