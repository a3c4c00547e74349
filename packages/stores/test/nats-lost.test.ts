import type { Store } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { expectWhole } from "./nats/expect-whole.ts";
import { LEASE_MS, takeRun } from "./nats/owned-run.ts";
import { readStream, versionsIn } from "./nats/read-stream.ts";
import { useBufferedServers } from "./nats/use-buffered.ts";
import { startRun } from "./support/thread-work.ts";

describeWithService("postgres", "a NATS server", (postgres) => {
  describeWithService("nats", "that loses what it acknowledged", (nats) => {
    const used = useBufferedServers({ postgres, nats });

    /** A run at version 1 in the database, with commits up to 5 that wait. */
    async function useBufferedRun() {
      const opened = await used.useBuffered();
      const tenant = opened.store.forTenant("default");
      const started = await startRun(tenant, "thread-1");
      for (let turn = 0; turn < 4; turn += 1) await started.commit();
      const other = await opened.reopen();
      const renew = () => opened.store.operator.renew([started.claim], LEASE_MS);
      const forget = (...versions: readonly number[]) =>
        used.manage(async (manager) => {
          for (const { seq, message } of await readStream(manager, opened.stream)) {
            const isMeant = message.kind === "commit" && versions.includes(message.version);
            if (isMeant) await manager.streams.deleteMessage(opened.stream, seq);
          }
        });
      return { ...opened, ...started, tenant, other, there: other.forTenant("default"), renew, forget };
    }

    /** Ends a run as its owner does when it is told that part of it is lost, and says how long the thread is then. */
    async function endRun(store: Store, owner: string): Promise<number> {
      const next = await takeRun(store, owner);
      await next.commit({ runs: [{ ...next.run, status: "done", termination_code: "error:buffer_lost" }] });
      return next.version;
    }

    it("is found out by the gap it leaves, and what came before the gap is kept", async () => {
      const { advance, other, there, forget, run } = await useBufferedRun();
      await forget(3);
      advance(LEASE_MS);
      const next = await takeRun(other, "next");
      expect(next.claim.lost).toEqual({ from: 3, to: 5 });
      expect(next.version).toBe(2);
      await next.commit({ runs: [{ ...run, status: "done" }] });
      expect(await expectWhole(there, "thread-1", run.run_id)).toHaveLength(3);
    });

    it("is found out when the first is missing, or all but the last", async () => {
      for (const missing of [[2], [2, 3, 4]]) {
        const { advance, other, forget } = await useBufferedRun();
        await forget(...missing);
        advance(LEASE_MS);
        expect((await takeRun(other, "next")).claim.lost).toEqual({ from: 2, to: 5 });
      }
    });

    it("is reported to every owner until the run has ended, and to none after that", async () => {
      const { advance, other, there, reopen, forget, run } = await useBufferedRun();
      await forget(3);
      advance(LEASE_MS);
      expect((await takeRun(other, "dies")).claim.lost).toEqual({ from: 3, to: 5 });
      advance(LEASE_MS);
      const third = await reopen();
      expect((await takeRun(third, "dies too")).claim.lost).toEqual({ from: 3, to: 5 });
      advance(LEASE_MS);
      expect(await endRun(other, "ends it")).toBe(3);
      const second = await startRun(there, "thread-1", 2);
      await second.commit();
      advance(LEASE_MS);
      const last = await takeRun(third, "last");
      expect(last.claim.run?.run_id).toBe(second.run.run_id);
      expect(last.claim.lost).toBeUndefined();
      expect(last.version).toBe(5);
      expect(await there.loadRun(run.run_id)).toMatchObject({ status: "done", termination_code: "error:buffer_lost" });
    });

    describe("at the end, where no gap shows", () => {
      it("is found out for what is older than a renewal of the lease", async () => {
        const { advance, other, commit, renew, forget } = await useBufferedRun();
        await renew();
        await commit();
        await forget(4, 5, 6);
        advance(LEASE_MS);
        const next = await takeRun(other, "next");
        expect(next.version).toBe(3);
        expect(next.claim.lost).toEqual({ from: 4, to: 5 });
      });

      it("is found out when everything is gone with the server's disk", async () => {
        const { advance, renew, reopen, sql } = await useBufferedRun();
        await renew();
        await used.nats.kill();
        used.nats.empty();
        await used.nats.start();
        advance(LEASE_MS);
        const next = await takeRun(await reopen(), "next");
        expect(next.claim.lost).toEqual({ from: 2, to: 5 });
        expect(await endRunOf(next)).toBe(2);
        expect(await sql("select promised_version from threads")).toEqual([{ promised_version: 0 }]);
      });

      it("is found out by a store that knows nothing of the buffer", async () => {
        const { advance, renew, openPlain } = await useBufferedRun();
        await renew();
        advance(LEASE_MS);
        const [claim] = await (await openPlain()).operator.claim({ owner: "plain", lease_ms: 1, limit: 1 });
        expect(claim?.lost).toEqual({ from: 2, to: 5 });
      });

      it("is not found out for what is younger than that", async () => {
        const { advance, other, forget } = await useBufferedRun();
        await forget(5);
        advance(LEASE_MS);
        const next = await takeRun(other, "next");
        expect(next.claim.lost).toBeUndefined();
        expect(next.version).toBe(4);
      });

      it("is no loss when it was stored after all", async () => {
        const { advance, other, renew, tenant, forget } = await useBufferedRun();
        await renew();
        await tenant.loadThread("thread-1");
        await forget(2, 3, 4, 5);
        advance(LEASE_MS);
        const next = await takeRun(other, "next");
        expect(next.claim.lost).toBeUndefined();
        expect(next.version).toBe(5);
      });
    });

    it("loses nothing as long as the owner is there", async () => {
      const { commit, stream, run, tenant } = await useBufferedRun();
      await used.manage((manager) => manager.streams.purge(stream));
      await commit();
      await commit();
      await used.manage((manager) => manager.streams.delete(stream));
      await commit();
      await commit({ runs: [{ ...run, status: "done" }] });
      expect(await expectWhole(tenant, "thread-1", run.run_id)).toHaveLength(9);
    });

    it("counts a message that is damaged as lost", async () => {
      const { advance, other, stream, forget } = await useBufferedRun();
      const seen = await used.manage((manager) => readStream(manager, stream));
      const last = seen.at(-1);
      if (last === undefined) throw new Error("Nothing waits.");
      await forget(5);
      const damaged = Uint8Array.from(last.data);
      damaged[damaged.length - 3] = 1 + (damaged.at(-3) ?? 0);
      await used.manage((manager) => manager.jetstream().publish(last.subject, damaged));
      advance(LEASE_MS);
      expect((await takeRun(other, "next")).claim.lost).toEqual({ from: 5, to: 5 });
    });

    it("leaves what a newer version wrote to that", async () => {
      const { advance, other, stream, there } = await useBufferedRun();
      const [first] = await used.manage((manager) => readStream(manager, stream));
      await used.manage((m) => m.jetstream().publish(first?.subject ?? "", new TextEncoder().encode("9 0 6\n{}")));
      advance(LEASE_MS);
      await expect(takeRun(other, "next")).rejects.toMatchObject({ code: "FORMAT_TOO_NEW" });
      expect((await there.loadThread("thread-1"))?.thread.version).toBe(1);
      expect(await used.manage((manager) => versionsIn(manager, stream).catch(() => "unreadable"))).toBe("unreadable");
    });

    async function endRunOf(next: Awaited<ReturnType<typeof takeRun>>): Promise<number> {
      await next.commit({ runs: [{ ...next.run, status: "done" }] });
      return next.version;
    }
  });
});
