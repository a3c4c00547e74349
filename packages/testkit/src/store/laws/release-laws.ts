import { MAX_ATTEMPTS, MAX_LOST_CLAIMS, UNUSED_WAKE_PAUSE_MS } from "@reprise/contracts";
import { expect } from "vitest";
import { buildChangeset } from "../../build/build-changeset.ts";
import { buildDecision } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";
import { LEASE_MS } from "../store-bench.ts";

/** How a claim ends, and what becomes of its work. */
export function releaseLaws(law: Law): void {
  law("does not renew a claim that was given back", async (bench) => {
    const owner = await bench.start();
    await owner.become("done");
    expect(await bench.operator.renew([owner.claim], LEASE_MS)).toEqual([]);
    await expectRefusal(owner.commit(), "STALE_EPOCH");
  });

  law("frees the thread when its run waits", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    expect(await bench.claim()).toEqual([]);
    await expectRefusal(owner.commit(), "STALE_EPOCH");
    await bench.advance(LEASE_MS * 10);
    expect(await bench.claim()).toEqual([]);
  });

  law("frees the thread with any commit of its owner that leaves no run running", async (bench) => {
    await bench.enqueue({ entry_id: "e1" });
    const owner = await bench.take(await bench.claimOne());
    await owner.commit({ mailbox_effects: [{ entry_id: "e1", status: "cancelled" }] });
    await expectRefusal(owner.commit(), "STALE_EPOCH");
    expect(await bench.claim()).toEqual([]);
    await bench.start();
  });

  law("leaves the claim alone when a writer without a claim commits", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    const next = await bench.take(await bench.claimOne());
    const changeset = buildChangeset({ changeset_id: "external" });
    await bench.tenant.commit(changeset, { expected: 2, epoch: null });
    await expectRefusal(next.become("running"), "VERSION_CONFLICT");
    next.version = 3;
    await next.become("running");
  });

  law("wakes a run again, a while later, whose owner left a decision unused", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    for (let attempt = 0; attempt < MAX_ATTEMPTS + 2; attempt += 1) {
      const next = await bench.take(await bench.claimOne());
      expect(next.claim).toMatchObject({ kind: "resume", entry: { attempts: 0 } });
      await next.become("waiting");
      expect(await bench.claim(), "not at once").toEqual([]);
      await bench.advance(UNUSED_WAKE_PAUSE_MS);
    }
    expect((await bench.tenant.readInbox("thread-1", owner.runId)).decisions).toHaveLength(1);
  });

  law("wakes a run again, a while later, that was asked to end and went on waiting", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    await bench.tenant.requestCancel(owner.runId, "enough");
    const next = await bench.take(await bench.claimOne());
    await next.become("waiting");
    expect(await bench.claim()).toEqual([]);
    await bench.advance(UNUSED_WAKE_PAUSE_MS);
    expect(await bench.claimOne()).toMatchObject({ kind: "resume", entry: { kind: "cancel" } });
  });

  law("takes a claim back unused, without counting it", async (bench) => {
    await bench.enqueue({ entry_id: "e1" });
    const claim = await bench.claimOne();
    await bench.operator.release(claim);
    const again = await bench.claimOne();
    expect(again).toMatchObject({ entry: { entry_id: "e1", attempts: 0 } });
    expect(again.epoch).toBeGreaterThan(claim.epoch);
  });

  law("waits before it serves an entry again that had a problem", async (bench) => {
    await bench.enqueue({ entry_id: "e1" });
    const claim = await bench.claimOne();
    await bench.operator.release(claim, { error: "no model", retry_after_ms: 1_000 });
    expect(await bench.claim()).toEqual([]);
    await bench.advance(1_000);
    expect(await bench.claimOne()).toMatchObject({ entry: { entry_id: "e1", attempts: 1, last_error: "no model" } });
  });

  law("waits before it recovers a run again whose recovery had a problem", async (bench) => {
    await bench.start();
    await bench.advance(LEASE_MS);
    const claim = await bench.claimOne();
    await bench.operator.release(claim, { error: "no model", retry_after_ms: 1_000 });
    expect(await bench.claim()).toEqual([]);
    await bench.advance(1_000);
    expect(await bench.claimOne()).toMatchObject({ kind: "recover" });
  });

  law("ignores a release by an owner that lost the claim", async (bench) => {
    await bench.enqueue();
    const lost = await bench.claimOne();
    await bench.advance(LEASE_MS);
    const taken = await bench.claimOne();
    await bench.operator.release(lost);
    expect(await bench.claim()).toEqual([]);
    expect(await bench.operator.renew([taken], LEASE_MS)).toHaveLength(1);
  });

  law("takes back the recovery of an owner that was only slow", async (bench) => {
    const slow = await bench.start();
    await bench.advance(LEASE_MS);
    const next = await bench.claimOne();
    expect(next).toMatchObject({ kind: "recover", run: { recoveries: 1 } });
    await bench.operator.release(slow.claim);
    expect(await bench.tenant.loadRun(slow.runId)).toMatchObject({ recoveries: 0 });
    expect(await bench.operator.renew([next], LEASE_MS)).toHaveLength(1);
    await bench.operator.release(slow.claim);
    expect(await bench.tenant.loadRun(slow.runId)).toMatchObject({ recoveries: 0 });
  });

  law(
    "issue 14.37: counts claims that were lost without a commit in between, also of owners that were slow",
    async (bench) => {
      const owner = await bench.start();
      for (let lost = 1; lost <= MAX_LOST_CLAIMS; lost += 1) {
        await bench.advance(LEASE_MS);
        const next = await bench.claimOne();
        expect(next).toMatchObject({ kind: "recover", lost_claims: lost });
        await bench.operator.release(lost === 1 ? owner.claim : { ...next, epoch: next.epoch - 1 });
      }
      expect(await bench.tenant.loadRun(owner.runId)).toMatchObject({ recoveries: 0 });
    },
  );

  law("issue 14.37: begins to count lost claims anew with every commit", async (bench) => {
    const owner = await bench.start();
    await bench.advance(LEASE_MS);
    const next = await bench.take(await bench.claimOne());
    expect(next.claim.lost_claims).toBe(1);
    await next.commit();
    await bench.advance(LEASE_MS);
    expect((await bench.claimOne()).lost_claims).toBe(1);
    expect(owner.claim.lost_claims).toBeUndefined();
  });

  law("does not count a claim that was given back as lost", async (bench) => {
    const owner = await bench.start();
    await bench.operator.release(owner.claim);
    expect((await bench.claimOne()).lost_claims).toBeUndefined();
  });

  law("issue 14.37: counts claims that were lost while a run was woken", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    await bench.claimOne();
    await bench.advance(LEASE_MS);
    expect(await bench.claimOne()).toMatchObject({ kind: "resume", lost_claims: 1 });
  });

  law("takes back nothing from the run after it", async (bench) => {
    const slow = await bench.start();
    const { run } = slow;
    await slow.commit({ runs: [{ ...run, status: "done" }] });
    const later = await bench.start();
    await bench.advance(LEASE_MS);
    await bench.claimOne();
    await bench.operator.release(slow.claim);
    expect(await bench.tenant.loadRun(later.runId)).toMatchObject({ recoveries: 1 });
  });

  law("gives back everything of an owner that is gone, and nothing of others", async (bench) => {
    const running = await bench.start("thread-1");
    await bench.enqueue({ entry_id: "e2", thread_id: "thread-2" });
    const [claim] = await bench.claim("owner-1");
    await bench.enqueue({ thread_id: "thread-3" });
    const [other] = await bench.claim("owner-3");
    await bench.operator.releaseOwner("owner-1");
    const claims = await bench.claim("owner-4");
    expect(claims.map(({ thread_id, kind }) => [thread_id, kind]).toSorted()).toEqual([
      ["thread-1", "recover"],
      ["thread-2", "start"],
    ]);
    expect(claims.find(({ kind }) => kind === "start")?.entry).toMatchObject({ entry_id: "e2", attempts: 1 });
    await expectRefusal(running.commit(), "STALE_EPOCH");
    expect(
      await bench.operator.renew(other === undefined || claim === undefined ? [] : [claim, other], 1),
    ).toHaveLength(1);
  });

  law("keeps the place of an entry that waits to be tried again", async (bench) => {
    const first = await bench.enqueue();
    await bench.enqueue();
    const claim = await bench.claimOne();
    await bench.operator.release(claim, { error: "not now", retry_after_ms: 1_000 });
    expect(await bench.claim()).toEqual([]);
    await bench.advance(1_000);
    expect(await bench.claimOne()).toMatchObject({ kind: "start", entry: { entry_id: first.entry_id, attempts: 1 } });
  });
}
