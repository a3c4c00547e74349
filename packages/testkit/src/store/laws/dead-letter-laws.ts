import { MAX_ATTEMPTS, type StoreSignal } from "@reprise/contracts";
import { expect } from "vitest";
import { buildDecision } from "../../build/build-records.ts";
import { eventually } from "../../eventually.ts";
import type { Law } from "../law-suite.ts";
import { entryStatuses, runNext } from "../mailbox-steps.ts";
import { expectRefusal } from "../refusal.ts";
import { LEASE_MS, type StoreBench } from "../store-bench.ts";

/** Makes a dead letter of the next entry, at once. */
async function giveUp(bench: StoreBench, error = "no such agent"): Promise<void> {
  await bench.operator.release(await bench.claimOne(), { error, retry_after_ms: 0, is_final: true });
}

/** Entries that are no longer tried, and their second chance. */
export function deadLetterLaws(law: Law): void {
  law("makes a dead letter at once of an entry that trying again cannot help, and serves the next", async (bench) => {
    await bench.enqueue({ entry_id: "hopeless" });
    await bench.enqueue({ entry_id: "healthy" });
    await giveUp(bench, "no such agent");
    expect((await bench.tenant.listEntries({ status: "dead_letter" })).items).toMatchObject([
      { entry_id: "hopeless", last_error: "no such agent" },
    ]);
    expect(await runNext(bench)).toBe("healthy");
    expect(await bench.claim()).toEqual([]);
  });

  law("ignores a final problem of an owner that lost the claim", async (bench) => {
    await bench.enqueue({ entry_id: "e1" });
    const lost = await bench.claimOne();
    await bench.advance(LEASE_MS);
    const taken = await bench.claimOne();
    await bench.operator.release(lost, { error: "late", retry_after_ms: 0, is_final: true });
    expect(await entryStatuses(bench)).toEqual({ e1: "claimed" });
    expect(await bench.operator.renew([taken], LEASE_MS)).toHaveLength(1);
  });

  law("gives up no run that has begun, however final its owner calls the problem", async (bench) => {
    const owner = await bench.start("lost");
    await bench.advance(LEASE_MS);
    await bench.operator.release(await bench.claimOne(), { error: "broken", retry_after_ms: 0, is_final: true });
    expect(await bench.claimOne()).toMatchObject({ kind: "recover", run: { run_id: owner.runId } });
  });

  law("keeps the wake-up of a waiting run, however final its owner calls the problem", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    const decision = await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    await bench.operator.release(await bench.claimOne(), { error: "broken", retry_after_ms: 0, is_final: true });
    expect(await bench.claimOne()).toMatchObject({ kind: "resume", run: { run_id: owner.runId } });
    expect((await bench.tenant.readInbox("thread-1", owner.runId)).decisions).toEqual([decision]);
  });

  law("queues a dead letter again, with no attempts behind it", async (bench) => {
    const { request } = await bench.enqueue({ entry_id: "e1", dedupe_key: "key" });
    await giveUp(bench);
    const entry = await bench.tenant.requeueEntry("thread-1", "e1");
    expect(entry).toMatchObject({ entry_id: "e1", status: "queued", attempts: 0, dedupe_key: "key", request });
    expect((await bench.tenant.listEntries()).items).toEqual([entry]);
    expect(await bench.claimOne()).toMatchObject({ kind: "start", entry: { entry_id: "e1", attempts: 0, request } });
  });

  law("tries a requeued entry as often as a new one", async (bench) => {
    await bench.enqueue({ entry_id: "e1" });
    for (let life = 0; life < 2; life += 1) {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
        await bench.operator.release(await bench.claimOne(), { error: "again", retry_after_ms: 0 });
      }
      expect(await entryStatuses(bench)).toEqual({ e1: "dead_letter" });
      if (life === 0) await bench.tenant.requeueEntry("thread-1", "e1");
    }
    expect(await bench.claim()).toEqual([]);
  });

  law("puts a requeued entry at its old place", async (bench) => {
    await bench.enqueue({ entry_id: "first" });
    await giveUp(bench);
    await bench.enqueue({ entry_id: "second" });
    await bench.enqueue({ entry_id: "urgent", priority: 5 });
    await bench.tenant.requeueEntry("thread-1", "first");
    const order: (string | undefined)[] = [];
    for (let turn = 0; turn < 3; turn += 1) order.push(await runNext(bench));
    expect(order).toEqual(["urgent", "first", "second"]);
  });

  law("puts a requeued entry into the thread's present generation", async (bench) => {
    await bench.enqueue({ entry_id: "old" });
    await giveUp(bench);
    await bench.enqueue({ entry_id: "new", busy_policy: "interrupt" });
    expect(await runNext(bench)).toBe("new");
    const { generation } = await bench.tenant.requeueEntry("thread-1", "old");
    expect(generation).toBe((await bench.tenant.loadThread("thread-1"))?.generation);
    await bench.operator.release(await bench.claimOne());
    expect(await entryStatuses(bench)).toMatchObject({ old: "queued" });
    expect(await runNext(bench)).toBe("old");
  });

  law("requeues nothing but dead letters, and nothing that is not there", async (bench) => {
    await bench.enqueue({ entry_id: "queued" });
    await bench.enqueue({ entry_id: "elsewhere", thread_id: "thread-2" });
    const requeue = (entryId: string, threadId = "thread-1") => bench.tenant.requeueEntry(threadId, entryId);
    await expectRefusal(requeue("queued"), "ILLEGAL_TRANSITION");
    await expectRefusal(requeue("nobody"), "ENTRY_NOT_FOUND");
    await expectRefusal(requeue("elsewhere"), "ENTRY_NOT_FOUND");
    await expectRefusal(requeue("queued", "nowhere"), "ENTRY_NOT_FOUND");
    await expectRefusal(bench.store.forTenant("tenant-2").requeueEntry("thread-1", "queued"), "ENTRY_NOT_FOUND");
    await bench.tenant.requestCancel("run-of-elsewhere", "not wanted");
    await expectRefusal(requeue("elsewhere", "thread-2"), "ILLEGAL_TRANSITION");
    await giveUp(bench);
    await requeue("queued");
    await expectRefusal(requeue("queued"), "ILLEGAL_TRANSITION");
    expect(await runNext(bench)).toBe("queued");
    await expectRefusal(requeue("queued"), "ILLEGAL_TRANSITION");
  });

  law("requeues a dead letter once when many ask for it", async (bench) => {
    await bench.enqueue({ entry_id: "e1" });
    await giveUp(bench);
    const other = (await bench.otherHandle()).forTenant("tenant-1");
    const asked = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) => (index % 2 === 0 ? bench.tenant : other).requeueEntry("thread-1", "e1")),
    );
    expect(asked.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await bench.claim()).toHaveLength(1);
  });

  law("says that there is work when a dead letter is queued again", async (bench) => {
    await bench.enqueue({ entry_id: "e1" });
    await giveUp(bench);
    const signals: StoreSignal[] = [];
    const stop = bench.operator.watch((signal) => signals.push(signal));
    await bench.tenant.requeueEntry("thread-1", "e1");
    const signal = expect.objectContaining({ kind: "work", thread_id: "thread-1", tenant: "tenant-1" });
    await eventually(() => expect(signals).toContainEqual(signal));
    stop();
  });
}
