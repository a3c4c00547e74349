import { expect, it, onTestFinished, vi } from "vitest";
import { describeWithService } from "../../../../test/support/describe-with-service.ts";
import { assertConsistent } from "../support/assert-consistent.ts";
import type { Worker } from "./support/start-worker.ts";
import { CLIENT, call, type Fleet, SHORT_LEASE, useFleets } from "./support/use-fleet.ts";

// Processes take their time to start on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** How often a run may lose its owner before it is ended: once when it began, and three times when it was recovered. */
const DEATHS = 4;

describeWithService("postgres", "a run that kills every process that works on it", (service) => {
  const openFleet = useFleets(service);

  it("is ended after three recoveries, while runs in other processes continue", async () => {
    await expectPoisonEnded(await openFleet(), { workers: 3, places: 1, healthy: 6 });
  });

  it("is ended after three recoveries, and so is none of the runs that share their processes with it", async () => {
    await expectPoisonEnded(await openFleet(), { workers: 2, places: 4, healthy: 8 });
  });
});

interface Situation {
  readonly workers: number;
  /** Runs a worker has at once. */
  readonly places: number;
  readonly healthy: number;
}

async function expectPoisonEnded(fleet: Fleet, { workers, places, healthy }: Situation): Promise<void> {
  const client = await fleet.start({ ...CLIENT, recheckMs: 500 });
  const killed = supervise(fleet, workers, places);
  const poison = await client.ask("start", { threadId: "poison", input: call("poison") });
  const threads = Array.from({ length: healthy }, (_, index) => `healthy-${index}`);
  const input = call("work", { ms: 400 });
  const runs = await Promise.all(threads.map((threadId) => client.ask("start", { threadId, input })));
  expect(await client.ask("outcome", { runId: poison })).toMatchObject({ status: "failed", code: "POISON" });
  for (const runId of runs) expect(await client.ask("outcome", { runId })).toMatchObject({ status: "done" });
  expect(killed).toHaveLength(DEATHS);
  const doses = killed.flatMap(({ executions }) => executions.filter(({ tool }) => tool === "poison"));
  expect(doses).toEqual(Array.from({ length: DEATHS }, () => ({ tool: "poison", key: `${poison}-s1-c0` })));
  expect(await fleet.tenant.loadRun(poison)).toMatchObject({ termination_code: "error:poison" });
  for (const thread of [...threads, "poison"]) await assertConsistent(fleet.tenant, thread);
}

/** Keeps so many workers alive: whenever one is killed, another takes its place. Returns those that were, as they are. */
function supervise(fleet: Fleet, workers: number, places: number): readonly Worker[] {
  const killed: Worker[] = [];
  const over = Promise.withResolvers<"over">();
  const keepOne = async (): Promise<void> => {
    for (let end: number | string = "SIGKILL"; end === "SIGKILL"; ) {
      const worker = await fleet.start({ ...SHORT_LEASE, maxActiveRuns: places });
      end = await Promise.race([worker.exited, over.promise]);
      if (end === "SIGKILL") killed.push(worker);
    }
  };
  const all = Array.from({ length: workers }, keepOne);
  onTestFinished(async () => {
    over.resolve("over");
    await Promise.allSettled(all);
  });
  return killed;
}
