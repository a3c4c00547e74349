import type { StoreSignal } from "@reprise/contracts";
import { expect } from "vitest";
import { buildDecision } from "../../build/build-records.ts";
import { eventually } from "../../eventually.ts";
import type { Law } from "../law-suite.ts";
import { entryStatuses, runNext } from "../mailbox-steps.ts";
import { expectRefusal } from "../refusal.ts";

/** Interrupting a thread without anything to come in its place. */
export function interruptLaws(law: Law): void {
  law("drops what is queued and asks the open run to end, when a thread is interrupted", async (bench) => {
    const owner = await bench.start();
    await bench.enqueue({ entry_id: "e1" });
    await bench.enqueue({ entry_id: "e2", priority: 9 });
    const before = (await bench.tenant.loadThread("thread-1"))?.generation ?? 0;
    const interrupted = await bench.tenant.interruptThread("thread-1", "enough");
    expect(interrupted).toMatchObject({ generation: before + 1, run_id: owner.runId });
    expect(interrupted.superseded.map(({ entry_id, status }) => [entry_id, status]).toSorted()).toEqual([
      ["e1", "superseded"],
      ["e2", "superseded"],
    ]);
    expect((await bench.tenant.loadThread("thread-1"))?.generation).toBe(before + 1);
    expect((await bench.tenant.readInbox("thread-1", owner.runId)).cancel).toMatchObject({ reason: "enough" });
    expect(await entryStatuses(bench)).toMatchObject({ e1: "superseded", e2: "superseded" });
    await owner.become("done");
    expect(await bench.claim()).toEqual([]);
  });

  law("issue 14.32: ends the generation it is asked to end, and no later one", async (bench) => {
    const owner = await bench.start();
    const generation = (await bench.tenant.loadThread("thread-1"))?.generation ?? 0;
    const first = await bench.tenant.interruptThread("thread-1", "enough", { generation });
    expect(first).toMatchObject({ generation: generation + 1, run_id: owner.runId });
    await owner.become("done");
    await bench.enqueue({ entry_id: "later" });
    const again = await bench.tenant.interruptThread("thread-1", "enough", { generation });
    expect(again).toEqual({ generation: generation + 1, superseded: [] });
    expect(await runNext(bench)).toBe("later");
  });

  law("interrupts a run that is just about to start", async (bench) => {
    await bench.enqueue({ entry_id: "e1" });
    const owner = await bench.take(await bench.claimOne());
    expect(await bench.tenant.interruptThread("thread-1", "enough")).toMatchObject({ run_id: "run-of-e1" });
    expect((await bench.tenant.readInbox("thread-1", "run-of-e1")).cancel).toMatchObject({ reason: "enough" });
    await owner.commit({ runs: [{ ...owner.run, status: "done" }] });
    expect(await bench.claim()).toEqual([]);
  });

  law("wakes a waiting run to be ended when its thread is interrupted", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    await bench.tenant.interruptThread("thread-1", "enough");
    expect(await bench.claimOne()).toMatchObject({ kind: "resume", run: { run_id: owner.runId } });
  });

  law("begins a new generation of an idle thread, and asks no run to end", async (bench) => {
    const owner = await bench.start();
    await owner.become("done");
    const first = await bench.tenant.interruptThread("thread-1", "just so");
    expect(first.superseded).toEqual([]);
    expect(first.run_id).toBeUndefined();
    expect((await bench.tenant.interruptThread("thread-1", "again")).generation).toBe(first.generation + 1);
    expect(await bench.claim()).toEqual([]);
    await bench.enqueue({ entry_id: "later" });
    expect(await runNext(bench)).toBe("later");
  });

  law("keeps decisions and what comes after an interruption", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    const decision = await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    await bench.tenant.interruptThread("thread-1", "enough");
    await bench.enqueue({ entry_id: "later" });
    const inbox = await bench.tenant.readInbox("thread-1", owner.runId);
    expect(inbox).toMatchObject({ decisions: [decision], cancel: { reason: "enough" } });
    await (await bench.take(await bench.claimOne())).become("done");
    expect(await runNext(bench)).toBe("later");
  });

  law("interrupts one thread and no other, and none that is not there", async (bench) => {
    const other = await bench.start("thread-2");
    await bench.enqueue({ entry_id: "e2", thread_id: "thread-2" });
    await bench.start("thread-1");
    await bench.tenant.interruptThread("thread-1", "enough");
    expect((await bench.tenant.readInbox("thread-2", other.runId)).cancel).toBeUndefined();
    expect(await entryStatuses(bench)).toMatchObject({ e2: "queued" });
    await expectRefusal(bench.tenant.interruptThread("nowhere", "enough"), "THREAD_NOT_FOUND");
    await expectRefusal(bench.tenant.interruptThread("nowhere", "enough", { generation: 0 }), "THREAD_NOT_FOUND");
    await expectRefusal(bench.store.forTenant("tenant-2").interruptThread("thread-1", "enough"), "THREAD_NOT_FOUND");
    expect(await bench.tenant.loadThread("nowhere")).toBeUndefined();
  });

  law("tells the owner of a run that its thread was interrupted", async (bench) => {
    const owner = await bench.start();
    const signals: StoreSignal[] = [];
    const stop = bench.operator.watch((signal) => signals.push(signal));
    await bench.tenant.interruptThread("thread-1", "enough");
    const signal = expect.objectContaining({ kind: "inbox", thread_id: "thread-1", run_id: owner.runId });
    await eventually(() => expect(signals).toContainEqual(signal));
    stop();
  });
}
