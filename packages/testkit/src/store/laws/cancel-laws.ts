import { expect } from "vitest";
import { buildDecision } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";

/** Asking runs to end. */
export function cancelLaws(law: Law): void {
  law("shows a cancellation to the owner of a running run, once", async (bench) => {
    const owner = await bench.start();
    await bench.tenant.requestCancel(owner.runId, "enough");
    await bench.tenant.requestCancel(owner.runId, "really");
    const { cancel } = await bench.tenant.readInbox("thread-1", owner.runId);
    expect(cancel?.reason).toBe("enough");
    expect((await bench.tenant.listEntries()).items.filter(({ kind }) => kind === "cancel")).toHaveLength(1);
    await owner.become("done", { mailbox_effects: [{ entry_id: cancel?.entry_id ?? "", status: "accepted" }] });
    expect(await bench.tenant.readInbox("thread-1", owner.runId)).toEqual({ decisions: [] });
  });

  law("wakes a waiting run for its cancellation, before any queued run", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    await bench.enqueue({ priority: 100, busy_policy: "continue" });
    await bench.tenant.requestCancel(owner.runId, "enough");
    expect(await bench.claimOne()).toMatchObject({ kind: "resume", run: { run_id: owner.runId } });
  });

  law("refuses to cancel a run that is done or was never there", async (bench) => {
    const owner = await bench.start();
    await owner.become("done");
    await expectRefusal(bench.tenant.requestCancel(owner.runId, "late"), "RUN_NOT_ACTIVE");
    await expectRefusal(bench.tenant.requestCancel("nobody", "why"), "RUN_NOT_FOUND");
  });

  law("cancels a run that is still queued at once", async (bench) => {
    const entry = await bench.enqueue();
    await bench.tenant.requestCancel(entry.run_id, "changed my mind");
    await bench.tenant.requestCancel(entry.run_id, "still");
    expect(await bench.claim()).toEqual([]);
    const { items } = await bench.tenant.listEntries();
    expect(items).toMatchObject([{ status: "cancelled", reason: "changed my mind" }]);
    await bench.start();
  });

  law("does not wake a waiting run for the cancellation of the one that would supersede it", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    const entry = await bench.enqueue({ busy_policy: "continue" });
    const claim = await bench.claimOne();
    await bench.tenant.requestCancel(entry.run_id, "changed my mind");
    await bench.operator.release(claim);
    expect(await bench.claimOne()).toMatchObject({ kind: "start", entry: { entry_id: entry.entry_id } });
    expect(await bench.tenant.readInbox("thread-1", owner.runId)).toEqual({ decisions: [] });
    expect(await bench.tenant.readInbox("thread-1", entry.run_id)).toMatchObject({
      cancel: { reason: "changed my mind" },
    });
  });

  law("leaves nothing in the mailbox of a run that is done", async (bench) => {
    const owner = await bench.start();
    await owner.commit({ calls: [owner.call("c1", { status: "suspended", suspension: 1 })] });
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    await bench.tenant.requestCancel(owner.runId, "enough");
    await owner.become("done");
    const { items } = await bench.tenant.listEntries();
    expect(items.map(({ kind, status }) => [kind, status])).toEqual([
      ["run", "accepted"],
      ["resume", "cancelled"],
      ["cancel", "cancelled"],
    ]);
    expect(await bench.claim()).toEqual([]);
    await bench.start();
  });

  law("leaves nothing behind of a run that is cancelled before it begins", async (bench) => {
    const entry = await bench.enqueue();
    const claim = await bench.claimOne();
    await bench.tenant.requestCancel(entry.run_id, "changed my mind");
    await bench.operator.release(claim);
    await bench.tenant.requestCancel(entry.run_id, "really");
    const { items } = await bench.tenant.listEntries({ thread_id: entry.thread_id, status: "queued" });
    expect(items).toEqual([]);
    expect(await bench.claim()).toEqual([]);
  });
}
