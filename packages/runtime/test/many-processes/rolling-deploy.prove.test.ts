import type { RunOutcome } from "@reprise/runtime";
import { eventually } from "@reprise/testkit";
import { expect, it, vi } from "vitest";
import { describeWithService } from "../../../../test/support/describe-with-service.ts";
import { assertConsistent } from "../support/assert-consistent.ts";
import type { Worker } from "./support/start-worker.ts";
import { CLIENT, call, SHORT_LEASE, useFleets } from "./support/use-fleet.ts";

// Many processes take their time on a busy machine.
vi.setConfig({ testTimeout: 180_000 });

const NOTE = call("note", { text: "milk" });

/** Approves whatever a run asks, once each, until it is done. Returns how often it asked. */
async function approveAll(client: Worker, runId: string): Promise<number> {
  for (let asked = 0; asked < 20; asked += 1) {
    // What the worker's runtime said, as JSON.
    const outcome = (await client.ask("outcome", { runId })) as RunOutcome;
    if (outcome.status !== "waiting") {
      expect(outcome).toMatchObject({ status: "done" });
      return asked;
    }
    for (const { id } of outcome.open) await client.ask("decide", { target: id, verb: { action: "approve" } });
    await eventually(async () => {
      const next = (await client.ask("outcome", { runId })) as RunOutcome;
      const isAnswered = next.status !== "waiting" || next.run.updated_at !== outcome.run.updated_at;
      if (!isAnswered) throw new Error("The decision is not used yet.");
    });
  }
  throw new Error("It asks without end.");
}

describeWithService("postgres", "issue 14.1: a rolling deploy of three generations", (service) => {
  const openFleet = useFleets(service);

  it("fails nothing, loses nothing, and asks again only when the version that was asked about is gone", async () => {
    const { startBuild, start, tenant } = await openFleet();
    const client = await start(CLIENT);
    const first = await startBuild("1", SHORT_LEASE);
    const threads = Array.from({ length: 9 }, (_, index) => `t${index}`);
    const waiting = await Promise.all(threads.map((threadId) => client.ask("start", { threadId, input: NOTE })));
    for (const runId of waiting) expect(await client.ask("outcome", { runId })).toMatchObject({ status: "waiting" });
    const working = await client.ask("start", { threadId: "w1", input: call("work", { ms: 1_500 }) });
    await first.executing("work");

    // The second generation has another version of the tool and other instructions; the third lacks the agent.
    const second = await startBuild("tool_version", SHORT_LEASE);
    const third = await startBuild("agent_gone", SHORT_LEASE);
    const early = await Promise.all(waiting.slice(0, 3).map((runId) => approveAll(client, runId)));
    expect(early).toEqual([1, 1, 1]);
    expect(first.executions.filter(({ tool }) => tool === "note")).toHaveLength(3);
    expect(second.executions).toEqual([]);
    expect(await client.ask("outcome", { runId: working })).toMatchObject({ status: "done" });

    // The first generation is drained: what is left goes to the second, which asks anew, once each.
    first.signal("SIGTERM");
    expect(await first.exited).toBe(0);
    const middle = await Promise.all(waiting.slice(3, 6).map((runId) => approveAll(client, runId)));
    expect(middle).toEqual([2, 2, 2]);
    expect(second.executions.filter(({ tool }) => tool === "note")).toHaveLength(3);

    // The second is killed: only the third is left, which knows nothing of the agent and fails nothing.
    const late = await client.ask("start", { threadId: "w2", input: call("work", { ms: 60_000 }) });
    await second.executing("work");
    second.signal("SIGKILL");
    await second.exited;
    for (const runId of waiting.slice(6)) {
      const outcome = (await client.ask("outcome", { runId })) as Extract<RunOutcome, { status: "waiting" }>;
      for (const { id } of outcome.open) await client.ask("decide", { target: id, verb: { action: "approve" } });
    }
    const other = await third.ask("start", { agent: "other", threadId: "o1", input: "hello" });
    expect(await third.ask("outcome", { runId: other })).toMatchObject({ status: "done", text: "heard: hello" });
    await eventually(async () => expect(await third.ask("missing", {})).toEqual(["worker"]));
    expect(
      (await tenant.listRuns({ status: "done" })).items.map(({ termination_code }) => termination_code),
    ).not.toContain("error");

    // It comes back: everything continues.
    const again = await startBuild("1", SHORT_LEASE);
    for (const runId of waiting.slice(6)) await approveAll(client, runId);
    await again.executing("work");
    await client.ask("cancel", { runId: late });
    expect(await client.ask("outcome", { runId: late })).toMatchObject({ status: "cancelled" });
    expect(await third.ask("missing", {})).toEqual([]);
    for (const thread of [...threads, "w1", "w2", "o1"]) await assertConsistent(tenant, thread);
  });

  it("issue 14.35: a frozen process is replaced under its name once its leases have run out", async () => {
    const { start, tenant } = await openFleet();
    const client = await start(CLIENT);
    const frozen = await start(SHORT_LEASE, "the-one");
    const runId = await client.ask("start", { threadId: "t1", input: call("work", { ms: 2_000 }) });
    await frozen.executing("work");
    frozen.signal("SIGSTOP");
    // Refused while its leases last, then let in.
    const next = await eventually(() => start(SHORT_LEASE, "the-one"));
    await next.executing("work");
    expect(await client.ask("outcome", { runId })).toMatchObject({ status: "done" });
    frozen.signal("SIGCONT");
    await eventually(async () =>
      expect(await frozen.ask("logged", {})).toContain("this process was replaced and takes no more work"),
    );
    const later = await client.ask("start", { threadId: "t2", input: call("work", { ms: 1 }) });
    expect(await client.ask("outcome", { runId: later })).toMatchObject({ status: "done" });
    expect(frozen.executions).toHaveLength(1);
    await assertConsistent(tenant, "t1");
  });
});
