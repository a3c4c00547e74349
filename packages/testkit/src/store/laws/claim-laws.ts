import { type Claim, MAX_ATTEMPTS } from "@reprise/contracts";
import { expect } from "vitest";
import { buildDecision, buildMessage } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import { expectRefusal } from "../refusal.ts";
import { LEASE_MS } from "../store-bench.ts";

/** Leases, epochs and who may write. */
export function claimLaws(law: Law): void {
  law("claims a queued run with its entry, owner and lease", async (bench) => {
    const entry = await bench.enqueue();
    const claim = await bench.claimOne("me");
    expect(claim).toMatchObject({
      tenant: "tenant-1",
      thread_id: "thread-1",
      owner: "me",
      kind: "start",
      entry: { entry_id: entry.entry_id, run_id: entry.run_id, request: entry.request },
    });
    expect(claim.run).toBeUndefined();
    const { created_at } = await bench.tenant.createThread({ thread_id: "clock", metadata: {} });
    expect(claim.lease_until - created_at).toBeLessThanOrEqual(LEASE_MS);
  });

  law("lists what is claimed, by whom and until when", async (bench) => {
    expect(await bench.operator.listLeases("tenant-1")).toEqual([]);
    const { claim, runId } = await bench.start("working");
    await bench.enqueue({ thread_id: "about-to" });
    const next = await bench.claimOne("other");
    const leases = (await bench.operator.listLeases("tenant-1")).toSorted((one, two) => one.epoch - two.epoch);
    const held = ({ thread_id, owner, epoch, lease_until, kind }: Claim) => ({
      thread_id,
      owner,
      epoch,
      lease_until,
      kind,
    });
    expect(leases).toHaveLength(2);
    expect(leases).toContainEqual({ ...held(claim), run_id: runId, is_expired: false });
    expect(leases).toContainEqual({ ...held(next), is_expired: false });
    expect(await bench.operator.listLeases("tenant-2")).toEqual([]);
    await bench.operator.release(next);
    await bench.advance(LEASE_MS + 1);
    expect(await bench.operator.listLeases("tenant-1")).toEqual([{ ...held(claim), run_id: runId, is_expired: true }]);
  });

  law("gives a thread to one of many claimers", async (bench) => {
    for (let thread = 0; thread < 5; thread += 1) await bench.enqueue({ thread_id: `thread-${thread}` });
    const other = await bench.otherHandle();
    const claims = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        (index % 2 === 0 ? bench.store : other).operator.claim({ owner: `o${index}`, lease_ms: LEASE_MS, limit: 2 }),
      ),
    );
    const threads = claims.flat().map(({ thread_id }) => thread_id);
    expect(new Set(threads).size).toBe(threads.length);
    while (threads.length < 5) {
      const more = await bench.claim();
      if (more.length === 0) break;
      threads.push(...more.map(({ thread_id }) => thread_id));
    }
    expect(threads.toSorted()).toEqual(["thread-0", "thread-1", "thread-2", "thread-3", "thread-4"]);
  });

  law("claims no more threads than asked for", async (bench) => {
    for (let thread = 0; thread < 5; thread += 1) await bench.enqueue({ thread_id: `thread-${thread}` });
    expect(await bench.claim("o", 2)).toHaveLength(2);
    expect(await bench.claim("o", 0)).toHaveLength(0);
    expect(await bench.claim("o", 10)).toHaveLength(3);
  });

  law("has one live claim on a thread, however much is queued on it", async (bench) => {
    for (let turn = 0; turn < 3; turn += 1) await bench.enqueue();
    expect(await bench.claim()).toHaveLength(1);
    expect(await bench.claim()).toEqual([]);
  });

  law("raises the epoch with every claim of a thread", async (bench) => {
    const epochs: number[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const owner = await bench.start();
      epochs.push(owner.claim.epoch);
      await owner.become("done");
      await bench.enqueue();
      const claimed = await bench.take(await bench.claimOne());
      epochs.push(claimed.claim.epoch);
      await claimed.become("done");
    }
    expect(epochs).toEqual(epochs.toSorted((one, other) => one - other));
    expect(new Set(epochs).size).toBe(6);
  });

  law("gives a running run of a silent owner to another one, and counts it", async (bench) => {
    const lost = await bench.start();
    await bench.advance(LEASE_MS - 1);
    expect(await bench.claim()).toEqual([]);
    await bench.advance(1);
    const claim = await bench.claimOne();
    expect(claim).toMatchObject({ kind: "recover", run: { run_id: lost.runId, recoveries: 1 } });
    expect(claim.epoch).toBeGreaterThan(lost.claim.epoch);
    await expectRefusal(lost.commit({ messages: [buildMessage("late")] }), "STALE_EPOCH");
    expect((await bench.tenant.listMessages("thread-1")).messages).toEqual([]);
    await bench.advance(LEASE_MS);
    expect(await bench.claimOne()).toMatchObject({ kind: "recover", run: { recoveries: 2 } });
    expect(await bench.tenant.loadRun(lost.runId)).toMatchObject({ recoveries: 2 });
  });

  law("does not count a run that its owner gave back", async (bench) => {
    const owner = await bench.start();
    await bench.store.operator.release(owner.claim);
    expect(await bench.claimOne()).toMatchObject({ kind: "recover", run: { run_id: owner.runId, recoveries: 0 } });
    await bench.advance(LEASE_MS);
    expect(await bench.claimOne()).toMatchObject({ kind: "recover", run: { recoveries: 1 } });
  });

  law("forgets recoveries when the run's row says so", async (bench) => {
    const lost = await bench.start();
    await bench.advance(LEASE_MS);
    const next = await bench.take(await bench.claimOne());
    await next.become("running", { runs: [{ ...lost.run, recoveries: 0 }] });
    await bench.advance(LEASE_MS);
    expect(await bench.claimOne()).toMatchObject({ kind: "recover", run: { recoveries: 1 } });
  });

  law("lets a slow owner commit while no other worker has taken over", async (bench) => {
    const slow = await bench.start();
    await bench.advance(LEASE_MS * 2);
    await slow.commit({ messages: [buildMessage("m1")] });
    expect(slow.version).toBe(2);
  });

  law("puts back an entry whose claim was lost before its run began, and counts it", async (bench) => {
    await bench.enqueue({ entry_id: "e1" });
    const lost = await bench.take(await bench.claimOne());
    await bench.advance(LEASE_MS);
    expect(await bench.claimOne()).toMatchObject({ kind: "start", entry: { entry_id: "e1", attempts: 1 } });
    await expectRefusal(lost.commit({ runs: [lost.run] }), "STALE_EPOCH");
  });

  law("makes an entry a dead letter when its owners keep vanishing", async (bench) => {
    await bench.enqueue({ entry_id: "e1" });
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await bench.claimOne();
      await bench.advance(LEASE_MS);
    }
    expect(await bench.claim()).toEqual([]);
    expect((await bench.tenant.listEntries()).items).toMatchObject([{ status: "dead_letter", attempts: MAX_ATTEMPTS }]);
  });

  law("prolongs a claim, and only for its holder", async (bench) => {
    const owner = await bench.start();
    for (let turn = 0; turn < 3; turn += 1) {
      await bench.advance(LEASE_MS - 1);
      const renewed = await bench.operator.renew([owner.claim], LEASE_MS);
      expect(renewed).toMatchObject([{ thread_id: "thread-1", epoch: owner.claim.epoch }]);
      expect(renewed[0]?.lease_until).toBeGreaterThan(owner.claim.lease_until);
    }
    expect(await bench.claim()).toEqual([]);
    await bench.advance(LEASE_MS);
    const taken = await bench.claimOne();
    expect(await bench.operator.renew([owner.claim, taken], LEASE_MS)).toMatchObject([{ epoch: taken.epoch }]);
    expect(await bench.operator.renew([owner.claim], LEASE_MS)).toEqual([]);
  });

  law("claims a lost run before a waiting one with an inbox, and that before a new one", async (bench) => {
    await bench.enqueue({ thread_id: "new" });
    const waiting = await bench.start("waiting");
    await waiting.suspend("c1");
    await bench.tenant.decide(buildDecision({ run_id: waiting.runId, call_id: "c1" }));
    await bench.start("lost");
    await bench.operator.releaseOwner("owner-1");
    const order: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) order.push(...(await bench.claim("o", 1)).map(({ kind }) => kind));
    expect(order).toEqual(["recover", "resume", "start"]);
  });

  law("resumes again when the one who resumed vanished before a commit", async (bench) => {
    const owner = await bench.start();
    await owner.suspend("c1");
    const decision = await bench.tenant.decide(buildDecision({ run_id: owner.runId, call_id: "c1" }));
    await bench.claimOne();
    expect(await bench.claim()).toEqual([]);
    await bench.advance(LEASE_MS);
    expect(await bench.claimOne()).toMatchObject({ kind: "resume", run: { run_id: owner.runId, recoveries: 0 } });
    expect((await bench.tenant.readInbox("thread-1", owner.runId)).decisions).toEqual([decision]);
  });

  law("fences an owner off across the deletion of its thread", async (bench) => {
    await bench.enqueue();
    const lost = await bench.take(await bench.claimOne());
    await bench.advance(LEASE_MS);
    await bench.tenant.deleteThread("thread-1");
    const next = await bench.start();
    expect(next.claim.epoch).toBeGreaterThan(lost.claim.epoch);
    await expectRefusal(
      bench.tenant.commit(lost.changeset(), { expected: "any", epoch: lost.claim.epoch }),
      "STALE_EPOCH",
    );
  });
}
