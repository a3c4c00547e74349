import { expect } from "vitest";
import { buildDecision, buildEntry } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import { entryStatuses, runNext } from "../mailbox-steps.ts";
import { expectRefusal } from "../refusal.ts";
import { LEASE_MS } from "../store-bench.ts";

/** What an entry does to a thread that is not idle. */
export function busyPolicyLaws(law: Law): void {
  law("refuses with `reject` on a thread that is running, waiting or has something queued", async (bench) => {
    const reject = () => bench.tenant.submit(buildEntry({ entry_id: bench.name("entry"), busy_policy: "reject" }));
    const owner = await bench.start();
    await expectRefusal(reject(), "THREAD_BUSY");
    await owner.suspend("c1");
    await expectRefusal(reject(), "THREAD_BUSY");
    await bench.enqueue({ busy_policy: "continue" });
    const next = await bench.take(await bench.claimOne());
    await next.commit({
      runs: [
        { ...owner.run, status: "done" },
        { ...next.run, status: "done" },
      ],
    });
    await bench.enqueue({ entry_id: "queued" });
    await expectRefusal(reject(), "THREAD_BUSY");
    await runNext(bench);
    expect(await reject()).toMatchObject({ status: "queued" });
  });

  for (const policy of ["interrupt", "rollback"] as const) {
    law(`drops what is queued and asks the open run to end for \`${policy}\``, async (bench) => {
      const owner = await bench.start();
      await bench.enqueue({ entry_id: "dropped" });
      const before = (await bench.tenant.loadThread("thread-1"))?.generation ?? 0;
      const { entry } = await bench.tenant.submit(buildEntry({ entry_id: "urgent", busy_policy: policy }));
      expect(entry.generation).toBe(before + 1);
      expect(entry.rolls_back).toBe(policy === "rollback" ? owner.runId : undefined);
      expect((await bench.tenant.loadThread("thread-1"))?.generation).toBe(before + 1);
      expect(await entryStatuses(bench)).toMatchObject({ dropped: "superseded", urgent: "queued" });
      const { cancel } = await bench.tenant.readInbox("thread-1", owner.runId);
      await owner.become("done", { mailbox_effects: [{ entry_id: cancel?.entry_id ?? "", status: "accepted" }] });
      expect(await runNext(bench)).toBe("urgent");
      expect(await bench.claim()).toEqual([]);
    });
  }

  law("cancels a waiting run before the entry that interrupts it starts", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    await bench.enqueue({ entry_id: "urgent", busy_policy: "interrupt" });
    const claim = await bench.claimOne();
    expect(claim).toMatchObject({ kind: "resume", run: { run_id: owner.runId }, entry: { kind: "cancel" } });
    const next = await bench.take(claim);
    await next.become("done", { mailbox_effects: [{ entry_id: claim.entry?.entry_id ?? "", status: "accepted" }] });
    expect(await runNext(bench)).toBe("urgent");
  });

  law("interrupts a run that is just about to start", async (bench) => {
    await bench.enqueue({ entry_id: "starting" });
    const starting = await bench.take(await bench.claimOne());
    await bench.enqueue({ entry_id: "urgent", busy_policy: "interrupt" });
    expect(await bench.tenant.readInbox("thread-1", starting.runId)).toMatchObject({ cancel: { reason: "interrupt" } });
    await bench.operator.release(starting.claim);
    expect(await entryStatuses(bench)).toMatchObject({ starting: "superseded", urgent: "queued" });
    expect(await runNext(bench)).toBe("urgent");
  });

  law("wakes a run that waits for a model at its time, and lets nothing take its place", async (bench) => {
    const owner = await bench.start();
    await bench.enqueue({ entry_id: "before", busy_policy: "continue" });
    const until = owner.claim.lease_until + LEASE_MS;
    owner.run = { ...owner.run, model_wait: { since: 0, until, reason: "rate_limited" } };
    await owner.become("waiting");
    await bench.enqueue({ entry_id: "after", busy_policy: "continue" });
    expect(await bench.claim()).toEqual([]);
    await bench.advance(2 * LEASE_MS + 1);
    const claim = await bench.claimOne();
    expect(claim).toMatchObject({ kind: "resume", run: { run_id: owner.runId } });
    await (await bench.take(claim)).become("done");
    expect([await runNext(bench), await runNext(bench)]).toEqual(["before", "after"]);
  });

  law("lets nothing take the place of a run that waits for runs below it", async (bench) => {
    const owner = await bench.start();
    owner.run = { ...owner.run, awaits_runs: true };
    await owner.suspend("c1");
    await bench.enqueue({ entry_id: "chat", busy_policy: "continue" });
    expect(await bench.claim()).toEqual([]);
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    const claim = await bench.claimOne();
    expect(claim).toMatchObject({ kind: "resume", run: { run_id: owner.runId } });
    await (await bench.take(claim)).become("done");
    expect(await runNext(bench)).toBe("chat");
  });

  law("lets `continue` supersede a waiting run, and makes everything else wait for it", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    await bench.enqueue({ entry_id: "patient", busy_policy: "enqueue" });
    expect(await bench.claim()).toEqual([]);
    await bench.enqueue({ entry_id: "chat", busy_policy: "continue" });
    const claim = await bench.claimOne();
    expect(claim).toMatchObject({ kind: "start", entry: { entry_id: "chat" }, run: { run_id: owner.runId } });
    const next = await bench.take(claim);
    await next.commit({ runs: [{ ...owner.run, status: "done" }, next.run] });
    expect((await bench.tenant.loadThread("thread-1"))?.open_run?.run_id).toBe(next.runId);
    // The row of the run that was superseded does not end the activation of the one that did it.
    await next.become("done");
    expect(await runNext(bench)).toBe("patient");
  });

  law("offers `steer` entries to the open run, in order, until the run has taken them in", async (bench) => {
    const owner = await bench.start();
    await bench.enqueue({ entry_id: "first", busy_policy: "steer" });
    await bench.enqueue({ entry_id: "patient" });
    await bench.enqueue({ entry_id: "second", busy_policy: "steer" });
    expect(await bench.claim()).toEqual([]);
    const { steering } = await bench.tenant.readInbox("thread-1", owner.runId);
    expect(steering?.map(({ entry_id }) => entry_id)).toEqual(["first", "second"]);
    const effect = { entry_id: "first", status: "accepted", into_run: owner.runId } as const;
    await owner.commit({ mailbox_effects: [effect] });
    const left = await bench.tenant.readInbox("thread-1", owner.runId);
    expect(left.steering?.map(({ entry_id }) => entry_id)).toEqual(["second"]);
    const { items } = await bench.tenant.listEntries({ thread_id: "thread-1", status: "accepted" });
    expect(items.find(({ entry_id }) => entry_id === "first")).toMatchObject({ into_run: owner.runId });
    await owner.become("done");
    expect(await runNext(bench)).toBe("patient");
    expect(await runNext(bench)).toBe("second");
    expect(await bench.claim()).toEqual([]);
  });

  law("makes `continue` wait for a run that is running", async (bench) => {
    const owner = await bench.start();
    await bench.enqueue({ entry_id: "chat", busy_policy: "continue" });
    expect(await bench.claim()).toEqual([]);
    await owner.become("done");
    expect(await runNext(bench)).toBe("chat");
  });
}
