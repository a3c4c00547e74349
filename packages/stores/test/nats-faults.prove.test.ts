import { createServer } from "node:http";
import type { Store } from "@reprise/contracts";
import { buildChangeset, buildEntry, buildMessage, eventually } from "@reprise/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { loadNatsPackages } from "../src/nats-buffered/nats-client.ts";
import { natsBuffered } from "../src/nats-buffered/open-nats-buffered-store.ts";
import { expectWhole } from "./nats/expect-whole.ts";
import { LEASE_MS, takeRun } from "./nats/owned-run.ts";
import { versionsIn } from "./nats/read-stream.ts";
import { startNats } from "./nats/start-nats.ts";
import { useBufferedServers } from "./nats/use-buffered.ts";
import { startCuttingProxy } from "./postgres/cutting-proxy.ts";
import { startRun } from "./support/thread-work.ts";

const UNAVAILABLE = { code: "STORE_UNAVAILABLE" };

describeWithService("postgres", "a buffered store", (postgres) => {
  describeWithService("nats", "whose servers fail", (nats) => {
    const used = useBufferedServers({ postgres, nats });

    /** Until the test lets it continue, and at the latest until the test is over: the next one needs it. */
    async function pauseNats() {
      onTestFinished(() => used.nats.resume());
      await used.nats.pause();
    }

    async function useRun(options?: Parameters<typeof used.useBuffered>[0]) {
      const opened = await used.useBuffered(options);
      const tenant = opened.store.forTenant("default");
      const started = await startRun(tenant, "thread-1");
      const plain = (await opened.openPlain()).forTenant("default");
      const storedVersion = async () => (await plain.loadThread("thread-1"))?.thread.version;
      return { ...opened, ...started, tenant, plain, storedVersion };
    }

    /** A run does not notice that commits wait again; a test does. */
    async function untilBuffered(commit: () => Promise<unknown>, storedVersion: () => Promise<number | undefined>) {
      await eventually(async () => {
        const before = await storedVersion();
        await commit();
        expect(await storedVersion()).toBe(before);
      });
    }

    describe("a NATS server that is not there", () => {
      it("is said at the start, and leaves no connection to the database behind", async () => {
        const { sql } = await used.useBuffered();
        const before = await sql("select count(*)::int as n from pg_stat_activity");
        const opening = natsBuffered("nats://127.0.0.1:1", used.postgres.url, { natsTimeoutMs: 500 });
        await expect(opening).rejects.toMatchObject({ ...UNAVAILABLE, details: { reason: "nats" } });
        const after = () => sql("select count(*)::int as n from pg_stat_activity");
        await eventually(async () => expect(await after()).toEqual(before));
      });

      it("is the same as one without JetStream", async () => {
        const server = await startNats(nats, { hasJetStream: false });
        onTestFinished(() => server.stop());
        const opening = natsBuffered(server.url, used.postgres.url, { natsTimeoutMs: 500 });
        await expect(opening).rejects.toMatchObject({ ...UNAVAILABLE, details: { reason: "nats" } });
      });

      it("costs a run nothing but the buffer, and gives it back when it comes back", async () => {
        const { run, commit, tenant, storedVersion } = await useRun();
        await commit();
        await commit();
        expect(await storedVersion()).toBe(1);
        await used.nats.kill();
        await commit();
        expect(await storedVersion()).toBe(4);
        await commit();
        expect(await storedVersion()).toBe(5);
        await used.nats.start();
        await untilBuffered(commit, storedVersion);
        await commit({ runs: [{ ...run, status: "done" }] });
        await expectWhole(tenant, "thread-1", run.run_id);
      });

      it("does not keep other processes from starting and resuming runs", async () => {
        const { store, run, commit, tenant } = await useRun();
        await used.nats.kill();
        onTestFinished(() => used.nats.start());
        await commit({ runs: [{ ...run, status: "done" }] });
        await startRun(tenant, "thread-2");
        await tenant.submit(buildEntry({ entry_id: "queued", run_id: "queued", thread_id: "thread-3" }));
        const [claim] = await store.operator.claim({ owner: "o", lease_ms: LEASE_MS, limit: 5 });
        expect(claim).toMatchObject({ kind: "start", thread_id: "thread-3" });
      });

      it("keeps a run from being taken over, without counting that, until it is back", async () => {
        const { run, commit, advance, reopen } = await useRun();
        for (let turn = 0; turn < 3; turn += 1) await commit();
        const other = await reopen();
        await used.nats.kill();
        advance(LEASE_MS);
        for (let time = 0; time < 5; time += 1) {
          await expect(takeRun(other, "next")).rejects.toMatchObject(UNAVAILABLE);
          await expect(takeRun(other, "too early")).rejects.toThrow("no run to recover");
          advance(1_000);
        }
        await used.nats.start();
        const next = await eventually(() => {
          advance(1_000);
          return takeRun(other, "next");
        });
        expect(next.claim.run).toMatchObject({ recoveries: 1 });
        expect(next.version).toBe(4);
        await next.commit({ runs: [{ ...run, status: "done" }] });
        expect(await expectWhole(other.forTenant("default"), "thread-1", run.run_id)).toHaveLength(5);
      });
    });

    it("continues from its own memory when the NATS server comes back without its data", async () => {
      const { run, commit, tenant, storedVersion } = await useRun();
      for (let turn = 0; turn < 3; turn += 1) await commit();
      await used.nats.kill();
      used.nats.empty();
      await used.nats.start();
      await commit();
      expect(await storedVersion()).toBe(5);
      await untilBuffered(commit, storedVersion);
      await commit({ runs: [{ ...run, status: "done" }] });
      await expectWhole(tenant, "thread-1", run.run_id);
    });

    it("loses nothing and stores nothing twice while the NATS server is killed again and again", async () => {
      const { store, reopen, advance, openPlain } = await used.useBuffered({ natsTimeoutMs: 300 });
      const tenant = store.forTenant("default");
      const plain = (await openPlain()).forTenant("default");
      const runs = await Promise.all(Array.from({ length: 4 }, (_, index) => startRun(tenant, `thread-${index}`)));
      const acknowledged = new Map<string, string[]>(runs.map(({ run }) => [run.thread_id, []]));
      let isOver = false;
      const working = Promise.all(
        runs.map(async ({ run, commit }) => {
          while (!isOver) acknowledged.get(run.thread_id)?.push((await commit()).changeset_id);
        }),
      );
      for (let time = 0; time < 12; time += 1) {
        const before = total(acknowledged);
        await eventually(() => expect(total(acknowledged)).toBeGreaterThan(before + 20));
        await used.nats.kill();
        await used.nats.start();
      }
      // The client may take its time to find the server again, and commits go past it as long.
      const expectWaiting = async ({ run }: (typeof runs)[number]): Promise<void> => {
        const told = acknowledged.get(run.thread_id)?.length ?? 0;
        const stored = (await plain.loadThread(run.thread_id))?.thread.version ?? 0;
        expect(told).toBeGreaterThan(stored);
      };
      await eventually(() => Promise.all(runs.map(expectWaiting)));
      isOver = true;
      await working;
      // The owner dies with what waits.
      advance(LEASE_MS);
      const other = await reopen();
      expect((await other.recover()).recovered).toBeGreaterThan(0);
      for (const { run } of runs) {
        const ids = await expectWhole(other.forTenant("default"), run.thread_id, run.run_id);
        expect(ids.slice(1)).toEqual(acknowledged.get(run.thread_id));
      }
    });

    it("stores a commit once whose acknowledgement was lost, also when it arrives later", async () => {
      const { run, commit, reopen, advance, storedVersion, stream } = await useRun();
      await commit();
      await pauseNats();
      await commit();
      expect(await storedVersion()).toBe(3);
      await commit();
      used.nats.resume();
      await eventually(async () => expect(await used.manage((m) => versionsIn(m, stream))).toContain(3));
      await untilBuffered(commit, storedVersion);
      advance(LEASE_MS);
      const other = await reopen();
      const next = await takeRun(other, "next");
      expect(next.claim.lost).toBeUndefined();
      await next.commit({ runs: [{ ...run, status: "done" }] });
      await expectWhole(other.forTenant("default"), "thread-1", run.run_id);
    });

    it("takes a commit that was refused for want of both servers for what its owner then says it is", async () => {
      const { run, claim, commit, tenant, reopen, advance, stream, storedVersion } = await useRun({
        natsTimeoutMs: 2_000,
        postgres: { connectTimeoutMs: 1_000 },
      });
      await commit();
      const place = { thread_id: "thread-1", run_id: run.run_id };
      const guard = { expected: 2, epoch: claim.epoch };
      const unlucky = buildChangeset({ ...place, changeset_id: "unlucky", messages: [buildMessage("unlucky")] });
      await pauseNats();
      const attempt = tenant.commit(unlucky, guard);
      const refusal = expect(attempt).rejects.toMatchObject(UNAVAILABLE);
      // The rows were looked at; now nobody answers any more.
      await new Promise((resolve) => setTimeout(resolve, 500));
      await used.postgres.server.kill();
      await refusal;
      await used.postgres.server.start();
      used.nats.resume();
      await eventually(async () => expect(await used.manage((m) => versionsIn(m, stream))).toEqual([2, 3]));
      const instead = buildChangeset({ ...place, changeset_id: "instead", messages: [buildMessage("instead")] });
      expect(await tenant.commit(instead, guard)).toEqual({ version: 3 });
      expect(await storedVersion()).toBe(3);
      advance(LEASE_MS);
      const other = await reopen();
      const next = await takeRun(other, "next");
      expect(next.claim.lost).toBeUndefined();
      const ids = await expectWhole(other.forTenant("default"), "thread-1", run.run_id);
      expect(ids.slice(2)).toEqual(["instead"]);
    });

    describe("a database that is gone when everything is to be stored", () => {
      const options = { postgres: { connectTimeoutMs: 1_000 } };

      it("is reported to the process that ends the run, which ends when it tries again, once", async () => {
        const { run, claim, commit, tenant, plain, advance } = await useRun(options);
        for (let turn = 0; turn < 3; turn += 1) await commit();
        const place = { thread_id: "thread-1", run_id: run.run_id };
        const runs = [{ ...run, status: "done" as const }];
        const last = buildChangeset({ ...place, changeset_id: "last", messages: [buildMessage("last")], runs });
        const guard = { expected: 4, epoch: claim.epoch };
        await used.postgres.server.kill();
        await expect(tenant.commit(last, guard)).rejects.toMatchObject(UNAVAILABLE);
        await expect(tenant.commit(last, guard)).rejects.toMatchObject(UNAVAILABLE);
        await used.postgres.server.start();
        expect(await plain.loadRun(run.run_id)).toMatchObject({ status: "running" });
        expect(await tenant.commit(last, guard)).toEqual({ version: 5 });
        expect(await tenant.commit(last, guard)).toEqual({ version: 5 });
        expect(await expectWhole(plain, "thread-1", run.run_id)).toHaveLength(5);
        advance(LEASE_MS);
      });

      it("loses nothing when the owner dies of it", async () => {
        const { run, commit, reopen, advance } = await useRun(options);
        for (let turn = 0; turn < 3; turn += 1) await commit();
        await used.postgres.server.kill();
        await expect(commit({ runs: [{ ...run, status: "done" }] })).rejects.toMatchObject(UNAVAILABLE);
        await used.postgres.server.start();
        advance(LEASE_MS);
        const next = await takeRun(await reopen(), "next");
        expect(next.version).toBe(4);
        expect(next.claim.run).toMatchObject({ status: "running" });
      });

      it("stores what waited once when only its answer was lost", async () => {
        const opened = await used.useBuffered();
        const proxy = await startCuttingProxy(used.postgres.url);
        const cut = await opened.reopen({ postgres: { url: proxy.url } });
        const { run, commit } = await startRun(cut.forTenant("default"), "thread-1");
        for (let turn = 0; turn < 3; turn += 1) await commit();
        proxy.cutAnswerTo("unmistakable");
        const messages = [buildMessage("end", { content: "unmistakable" })];
        await commit({ messages, runs: [{ ...run, status: "done" }] });
        expect(proxy.cuts).toBe(1);
        expect(await expectWhole(opened.store.forTenant("default"), "thread-1", run.run_id)).toHaveLength(5);
      });
    });

    describe("a stream that would forget", () => {
      const KEEPING = { retention: "limits", storage: "file", discard: "new" } as const;
      const CONFIGS = [
        ["keeps messages in memory", { ...KEEPING, storage: "memory" }],
        ["drops them after a time", { ...KEEPING, max_age: 60_000_000_000 }],
        ["drops old ones for new ones", { ...KEEPING, discard: "old", max_bytes: 1_000_000 }],
        ["drops what somebody took", { ...KEEPING, retention: "workqueue" }],
      ] as const;

      it.each(CONFIGS)("is refused when it %s", async (_, config) => {
        const name = `unfit_${CONFIGS.findIndex((one) => one[1] === config)}`;
        await used.manage((manager) => manager.streams.add({ name, subjects: [`${name}.>`], ...config }));
        const opening = used.useBuffered({ stream: name, prefix: name });
        await expect(opening).rejects.toMatchObject({ code: "INVALID_REQUEST" });
      });

      it("is used when another process made it as it should be, and is full one day", async () => {
        await used.manage((manager) =>
          manager.streams.add({ name: "small", subjects: ["small.>"], ...KEEPING, max_bytes: 6_000 }),
        );
        const { run, commit, storedVersion, tenant } = await useRun({ stream: "small", prefix: "small" });
        await commit();
        expect(await storedVersion()).toBe(1);
        for (let turn = 0; turn < 30; turn += 1) await commit();
        expect(await storedVersion()).toBeGreaterThan(1);
        await commit({ runs: [{ ...run, status: "done" }] });
        expect(await expectWhole(tenant, "thread-1", run.run_id)).toHaveLength(33);
      });

      it("is not one with a prefix that means something to NATS", async () => {
        for (const prefix of ["a.*", "a.>", "", "a..b", "a b", `a${".b".repeat(9)}`, "ä"]) {
          await expect(used.useBuffered({ prefix })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
        }
      });
    });

    describe("what it says it survives", () => {
      const open = async (monitorUrls: readonly string[]): Promise<Store> => {
        const settings = { fsync: "on", full_page_writes: "on", synchronous_commit: "on" };
        await used.postgres.server.restart(settings);
        onTestFinished(() => used.postgres.server.restart({ fsync: "off" }));
        return (await used.useBuffered({ nats: { servers: used.nats.url, monitorUrls } })).store;
      };

      /** A page such as newer servers have, of the very server that is used. */
      const startPage = async (change: (page: Record<string, unknown>) => object): Promise<string> => {
        const page: Record<string, unknown> = JSON.parse(await (await fetch(`${used.nats.monitorUrl}/varz`)).text());
        const server = createServer((_, response) => response.end(JSON.stringify(change(page))));
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
        onTestFinished(() => void server.close());
        const address = server.address();
        return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
      };
      const syncing = { jetstream: { config: { sync_always: true } } };

      it("is a crash of a process when the server cannot be asked, and when it flushes now and then", async () => {
        expect((await open([])).durability).toBe("process-crash");
        expect((await open([used.nats.monitorUrl])).durability).toBe("process-crash");
        expect((await open(["http://127.0.0.1:1"])).durability).toBe("process-crash");
      });

      it("is a power cut when the server says that it flushes every message, and the database does too", async () => {
        expect((await open([await startPage((page) => ({ ...page, ...syncing }))])).durability).toBe("power-loss");
        const other = { server_id: "another", server_name: "another" };
        const elsewhere = await startPage((page) => ({ ...page, ...other, ...syncing }));
        expect((await open([elsewhere])).durability).toBe("process-crash");
      });

      it("is no more than what the database survives", async () => {
        const monitorUrls = [await startPage((page) => ({ ...page, ...syncing }))];
        const { store } = await used.useBuffered({ nats: { servers: used.nats.url, monitorUrls } });
        expect(store.durability).toBe("process-crash");
      });
    });

    it("says which packages are missing", async () => {
      const loading = loadNatsPackages(["@nats-io/there-is-no-such-package", "node:fs"]);
      await expect(loading).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        message: expect.stringContaining("npm install @nats-io/transport-node @nats-io/jetstream"),
      });
    });
  });
});

function total(acknowledged: ReadonlyMap<string, readonly string[]>): number {
  return [...acknowledged.values()].reduce((sum, ids) => sum + ids.length, 0);
}
