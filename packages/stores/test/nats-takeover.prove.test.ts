import { buildChangeset, buildMessage, eventually } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { expectWhole } from "./nats/expect-whole.ts";
import { LEASE_MS, ownRun, takeRun } from "./nats/owned-run.ts";
import { readStream, versionsIn } from "./nats/read-stream.ts";
import { useBufferedServers } from "./nats/use-buffered.ts";
import { startRun } from "./support/thread-work.ts";

const STALE = { code: "STALE_EPOCH" };

describeWithService("postgres", "a buffered run", (postgres) => {
  describeWithService("nats", "whose owner is gone", (nats) => {
    const used = useBufferedServers({ postgres, nats });

    /** A run with commits that wait, and another process. */
    async function useAbandoned({ commits = 3 } = {}) {
      const opened = await used.useBuffered();
      const tenant = opened.store.forTenant("default");
      const started = await startRun(tenant, "thread-1");
      const acknowledged: string[] = [];
      for (let turn = 0; turn < commits; turn += 1) acknowledged.push((await started.commit()).changeset_id);
      const other = await opened.reopen();
      return { ...opened, ...started, tenant, acknowledged, other, there: other.forTenant("default") };
    }

    it("continues from everything that was acknowledged", async () => {
      const { run, claim, advance, other, there, tenant, acknowledged } = await useAbandoned();
      expect((await there.loadThread("thread-1"))?.thread.version).toBe(1);
      advance(LEASE_MS);
      const next = await takeRun(other, "next");
      expect(next.claim).toMatchObject({ kind: "recover", run: { run_id: run.run_id, recoveries: 1 } });
      expect(next.claim.lost).toBeUndefined();
      expect(next.version).toBe(4);
      expect(await there.loadRun(run.run_id)).toMatchObject({ recoveries: 1 });
      await next.commit();
      await next.commit({ runs: [{ ...run, status: "done" }] });
      const ids = await expectWhole(there, "thread-1", run.run_id);
      expect(ids.slice(1, 4)).toEqual(acknowledged);
      const epochs = (await there.readEvents(run.run_id, 0)).map(({ epoch }) => epoch);
      // Events keep the epoch they were shown under, so that readers of the first owner's stream need not start again.
      expect(epochs).toEqual([claim.epoch, claim.epoch, claim.epoch, next.claim.epoch, next.claim.epoch]);
      expect(await there.lastSeqOfEpoch(run.run_id, claim.epoch)).toBe(6);
      // The first owner still remembers what it wrote, and does not take it for the truth.
      expect(await tenant.loadRun(run.run_id)).toMatchObject({ status: "done" });
      expect(await tenant.readEvents(run.run_id, 0)).toEqual(await there.readEvents(run.run_id, 0));
    });

    it("loses no further owner without a word either", async () => {
      const { run, advance, other, there, reopen, acknowledged } = await useAbandoned();
      advance(LEASE_MS);
      const second = await takeRun(other, "second");
      for (let turn = 0; turn < 2; turn += 1) acknowledged.push((await second.commit({ runs: [run] })).changeset_id);
      advance(LEASE_MS);
      const third = await takeRun(await reopen(), "third");
      // The second got further, and said so in the run's row; then it was lost too.
      expect(third.claim.run).toMatchObject({ recoveries: 1 });
      expect(third.version).toBe(6);
      await third.commit({ runs: [{ ...run, status: "done" }] });
      expect((await expectWhole(there, "thread-1", run.run_id)).slice(1, 6)).toEqual(acknowledged);
    });

    it("counts owners that were lost without a commit of their own", async () => {
      const { advance, reopen } = await useAbandoned();
      for (const recoveries of [1, 2, 3]) {
        advance(LEASE_MS);
        const next = await takeRun(await reopen(), `owner-${recoveries}`);
        expect(next.claim.run).toMatchObject({ recoveries });
      }
    });

    it("is taken over by the very process that had it, with what that remembers", async () => {
      const { run, store, tenant, advance, acknowledged, commit, stream } = await useAbandoned();
      await used.manage((manager) => manager.streams.purge(stream));
      advance(LEASE_MS);
      const again = await takeRun(store, "again");
      expect(again.version).toBe(4);
      expect(again.claim.lost).toBeUndefined();
      await expect(commit()).rejects.toMatchObject(STALE);
      await again.commit({ runs: [{ ...run, status: "done" }] });
      expect((await expectWhole(tenant, "thread-1", run.run_id)).slice(1, 4)).toEqual(acknowledged);
    });

    describe("and comes back", () => {
      it("is refused, whatever it wrote before, and disturbs no other process", async () => {
        const { run, commit, advance, other, there, tenant } = await useAbandoned();
        advance(LEASE_MS);
        const next = await takeRun(other, "next");
        await next.commit();
        await expect(commit({ messages: [buildMessage("late")] })).rejects.toMatchObject(STALE);
        await next.commit();
        await expect(commit({ messages: [buildMessage("later")] })).rejects.toMatchObject(STALE);
        expect((await tenant.loadThread("thread-1"))?.thread.version).toBe(4);
        await next.commit({ runs: [{ ...run, status: "done" }] });
        await expect(commit()).rejects.toMatchObject(STALE);
        expect(await expectWhole(there, "thread-1", run.run_id)).toHaveLength(7);
      });

      it("is refused when it had written nothing yet", async () => {
        const { run, commit, advance, other, there } = await useAbandoned({ commits: 0 });
        advance(LEASE_MS);
        const next = await takeRun(other, "next");
        await next.commit();
        await expect(commit()).rejects.toMatchObject(STALE);
        await next.commit({ runs: [{ ...run, status: "done" }] });
        await expect(commit()).rejects.toMatchObject(STALE);
        expect(await expectWhole(there, "thread-1", run.run_id)).toHaveLength(3);
      });

      it("is refused when the next run of the thread is under way", async () => {
        const { run, commit, advance, other, there } = await useAbandoned();
        advance(LEASE_MS);
        await (await takeRun(other, "next")).commit({ runs: [{ ...run, status: "done" }] });
        const second = await startRun(there, "thread-1", 2);
        await second.commit();
        await expect(commit()).rejects.toMatchObject(STALE);
        await second.commit();
        expect((await there.loadThread("thread-1"))?.thread.version).toBe(8);
      });

      it("learns that what it committed is there", async () => {
        const { advance, other, tenant, claim, run } = await useAbandoned({ commits: 0 });
        const changeset = buildChangeset({ changeset_id: "mine", thread_id: "thread-1", run_id: run.run_id });
        const guard = { expected: 1, epoch: claim.epoch };
        expect(await tenant.commit(changeset, guard)).toEqual({ version: 2 });
        advance(LEASE_MS);
        await takeRun(other, "next");
        expect(await tenant.commit(changeset, guard)).toEqual({ version: 2 });
      });
    });

    it("never lets two that believe to be the owner both be told that they made a version", async () => {
      const { store, other, advance, there, tenant, run, claim } = await useAbandoned({ commits: 1 });
      advance(LEASE_MS);
      const zombie = await ownRun(tenant, claim, run);
      const acknowledged: string[] = [];
      const work = async (owner: Pick<typeof zombie, "commit">): Promise<void> => {
        for (let turn = 0; turn < 12; turn += 1) acknowledged.push((await owner.commit()).changeset_id);
      };
      const taking = takeRun(other, "next");
      const results = await Promise.allSettled([work(zombie), taking.then(work)]);
      for (const result of results) if (result.status === "rejected") expect(result.reason).toMatchObject(STALE);
      expect(results[1]?.status).toBe("fulfilled");
      const ids = await expectWhole(there, "thread-1", run.run_id);
      expect(ids).toEqual(expect.arrayContaining(acknowledged));
      expect(store.durability).toBe("process-crash");
    });

    describe("recover()", () => {
      it("stores what is left of runs without a worker, and leaves the runs to be claimed", async () => {
        const { run, advance, other, there, acknowledged, stream } = await useAbandoned();
        expect(await other.recover()).toEqual({ recovered: 0 });
        expect((await there.loadThread("thread-1"))?.thread.version).toBe(1);
        advance(LEASE_MS);
        expect(await other.recover()).toEqual({ recovered: 1 });
        expect((await expectWhole(there, "thread-1", run.run_id)).slice(1)).toEqual(acknowledged);
        await eventually(async () => expect(await used.manage((m) => readStream(m, stream))).toEqual([]));
        expect(await other.recover()).toEqual({ recovered: 0 });
        const next = await takeRun(other, "next");
        expect(next.claim.run).toMatchObject({ recoveries: 1 });
        await next.commit({ runs: [{ ...run, status: "done" }] });
        expect(await expectWhole(there, "thread-1", run.run_id)).toHaveLength(5);
      });

      it("forgets what is in the database already, and nothing of runs that continue", async () => {
        const { run, other, there, commit, stream, tenant } = await useAbandoned();
        const left = await used.manage((manager) => readStream(manager, stream));
        await commit({ runs: [{ ...run, status: "done" }] });
        await eventually(async () => expect(await used.manage((m) => versionsIn(m, stream))).toEqual([]));
        await redeliver(left);
        const second = await startRun(tenant, "thread-2");
        await second.commit();
        expect(await other.recover()).toEqual({ recovered: 0 });
        await eventually(async () => expect(await used.manage((m) => versionsIn(m, stream))).toEqual([2]));
        expect(await expectWhole(there, "thread-1", run.run_id)).toHaveLength(5);
        await second.commit();
      });
    });

    describe("messages that come again", () => {
      it("are stored once, however often a run is taken over", async () => {
        const { run, advance, other, there, stream, reopen } = await useAbandoned();
        const left = await used.manage((manager) => readStream(manager, stream));
        advance(LEASE_MS);
        const next = await takeRun(other, "next");
        await next.commit();
        await redeliver(left);
        // Another process wrote to the subject: the owner goes to the database, which knows that it is the owner.
        await next.commit();
        await redeliver(left);
        advance(LEASE_MS);
        const third = await takeRun(await reopen(), "third");
        expect(third.version).toBe(6);
        expect(third.claim.lost).toBeUndefined();
        await third.commit({ runs: [{ ...run, status: "done" }] });
        expect(await expectWhole(there, "thread-1", run.run_id)).toHaveLength(7);
      });

      it("of a deleted thread mean nothing to one with its name", async () => {
        const { run, advance, store, other, there, commit, stream } = await useAbandoned();
        const left = await used.manage((manager) => readStream(manager, stream));
        await commit({ runs: [{ ...run, status: "done" }] });
        await store.forTenant("default").deleteThread("thread-1");
        const second = await startRun(store.forTenant("default"), "thread-1", 2);
        await redeliver(left);
        advance(LEASE_MS);
        const next = await takeRun(other, "next");
        expect(next.version).toBe(1);
        expect(next.claim.lost).toBeUndefined();
        await expect(second.commit()).rejects.toMatchObject(STALE);
        await next.commit();
        expect(await expectWhole(there, "thread-1", second.run.run_id)).toHaveLength(2);
      });
    });

    async function redeliver(left: Awaited<ReturnType<typeof readStream>>): Promise<void> {
      await used.manage(async (manager) => {
        for (const { subject, data } of left) await manager.jetstream().publish(subject, data);
      });
    }
  });
});
