import { expect } from "vitest";
import { buildChangeset } from "../../build/build-changeset.ts";
import { buildMessage } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import type { StoreBench } from "../store-bench.ts";

async function idsOf(bench: StoreBench, runId: string, threadId = "thread-1"): Promise<readonly string[]> {
  const { messages } = await bench.tenant.listMessages(threadId, { run_id: runId });
  return messages.map(({ id }) => id);
}

/** Runs that a thread speaks of and that have no row: not begun yet, or never to begin. */
export function rowlessRunLaws(law: Law): void {
  law("lists no run before its first row", async (bench) => {
    const { run_id } = await bench.enqueue();
    const owner = await bench.take(await bench.claimOne());
    await owner.commit({ messages: [buildMessage("m1")] });
    expect(await bench.tenant.listRuns()).toEqual({ items: [], total: 0, has_more: false });
    expect((await bench.tenant.listRuns({ thread_id: "thread-1" })).total).toBe(0);
    expect(await bench.tenant.loadRun(run_id)).toBeUndefined();
    expect((await bench.tenant.loadThread("thread-1"))?.open_run).toBeUndefined();
    expect(await bench.tenant.readEvents(run_id, 0)).toEqual([]);
  });

  law("finds the messages that a run's commits brought, also when the run has no row", async (bench) => {
    const { run_id } = await bench.enqueue();
    const owner = await bench.take(await bench.claimOne());
    await owner.commit({ messages: [buildMessage("m1"), buildMessage("m2")] });
    expect(await idsOf(bench, run_id)).toEqual(["m1", "m2"]);
    expect((await bench.tenant.readChangesets("thread-1", 0))[0]?.run_id).toBe(run_id);
  });

  law("finds them still when the run gets its row later, beside those that come with it", async (bench) => {
    const { run_id } = await bench.enqueue();
    const first = await bench.take(await bench.claimOne());
    await first.commit({ messages: [buildMessage("m1")] });
    const again = await bench.take(await bench.claimOne());
    expect(again.runId).toBe(run_id);
    await again.commit({ messages: [buildMessage("m2")], runs: [again.run] });
    await again.become("done", { messages: [buildMessage("m3")] });
    expect(await idsOf(bench, run_id)).toEqual(["m1", "m2", "m3"]);
  });

  law("goes by who committed a message, not by what the message says", async (bench) => {
    const owner = await bench.start();
    await owner.commit({ messages: [buildMessage("m1", { metadata: { run_id: "somebody-else" } })] });
    await owner.become("done");
    const outside = buildChangeset({
      changeset_id: "outside",
      messages: [buildMessage("m2", { metadata: { run_id: owner.runId } })],
    });
    await bench.tenant.commit(outside, { expected: "any", epoch: null });
    expect(await idsOf(bench, "somebody-else")).toEqual([]);
    expect(await idsOf(bench, owner.runId)).toEqual(["m1"]);
    expect(await idsOf(bench, "nobody")).toEqual([]);
  });

  law("finds a run's messages in its own thread alone, and none of a fork's", async (bench) => {
    const owner = await bench.start("thread-1", { messages: [buildMessage("m1")] });
    await owner.become("done");
    await bench.tenant.forkThread("thread-1", 2, "fork");
    expect(await idsOf(bench, owner.runId)).toEqual(["m1"]);
    expect(await idsOf(bench, owner.runId, "fork")).toEqual([]);
    expect((await bench.tenant.listMessages("fork")).messages.map(({ id }) => id)).toEqual(["m1"]);
  });
}
