import type { Store, StoreSignal, TenantStore } from "@reprise/contracts";
import { buildCall, buildDecision, buildEntry, buildEvents, buildMessage, eventually } from "@reprise/testkit";
import { createRuntime, defineAgent, defineTool, scriptedModel } from "reprise";
import { describe, expect, it } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { expectWhole } from "./nats/expect-whole.ts";
import { readStream, versionsIn } from "./nats/read-stream.ts";
import { type OpenedBuffered, useBufferedServers } from "./nats/use-buffered.ts";
import { startRun } from "./support/thread-work.ts";

/** The next number of a transaction that writes: those that only read have none. */
const NEXT_TRANSACTION = "select txid_snapshot_xmax(txid_current_snapshot()) as number";

describeWithService("postgres", "a write buffer", (postgres) => {
  describeWithService("nats", "in front of Postgres", (nats) => {
    const used = useBufferedServers({ postgres, nats });

    async function useRun(options?: Parameters<typeof used.useBuffered>[0]) {
      const opened = await used.useBuffered(options);
      const plain = (await opened.openPlain()).forTenant("default");
      const tenant = opened.store.forTenant("default");
      const started = await startRun(tenant, "thread-1");
      const storedVersion = async () => (await plain.loadThread("thread-1"))?.thread.version;
      const waiting = () => used.manage((manager) => versionsIn(manager, opened.stream));
      return { ...opened, ...started, tenant, plain, storedVersion, waiting };
    }

    /** Waits until another process was told of everything so far: notifications are sent in order, in transactions of their own. */
    async function untilTold(other: Store, tenant: TenantStore): Promise<void> {
      const heard = new Set<string>();
      const stop = other.operator.watch(({ thread_id }) => heard.add(thread_id));
      // It listens: then it tells of the threads that are alive.
      await eventually(() => expect(heard).toContain("thread-1"));
      await tenant.submit(buildEntry({ entry_id: "e-told", run_id: "r-told", thread_id: "told" }));
      await eventually(() => expect(heard).toContain("told"));
      stop();
    }

    async function countWrites({ sql }: Pick<OpenedBuffered, "sql">, work: () => Promise<void>): Promise<number> {
      const before = Number((await sql(NEXT_TRANSACTION))[0]?.number);
      await work();
      return Number((await sql(NEXT_TRANSACTION))[0]?.number) - before;
    }

    it("writes nothing to the database while a run is running, and everything at its end in one transaction", async () => {
      const { run, commit, tenant, storedVersion, waiting, sql, openPlain } = await useRun();
      await commit();
      await untilTold(await openPlain(), tenant);
      const silent = await countWrites({ sql }, async () => {
        for (let turn = 0; turn < 10; turn += 1) await commit();
      });
      expect(silent).toBe(0);
      expect(await storedVersion()).toBe(1);
      expect(await waiting()).toEqual(Array.from({ length: 11 }, (_, index) => index + 2));
      const ending = await countWrites({ sql }, async () => {
        await commit({ runs: [{ ...run, status: "done" }] });
      });
      // The transaction, and the one that tells of it.
      expect(ending).toBeLessThanOrEqual(2);
      expect(await storedVersion()).toBe(13);
      expect(await expectWhole(tenant, "thread-1", run.run_id)).toHaveLength(13);
      await eventually(async () => expect(await waiting()).toEqual([]));
    });

    it("takes at most a third of the transactions of a run in the runtime, and shows the same events", async () => {
      const act = defineTool({ id: "act", description: "Acts.", execute: () => "done" });
      const work = async (kind: "plain" | "buffered") => {
        const opened = await used.useBuffered();
        const store = kind === "plain" ? await opened.openPlain() : opened.store;
        const steps = Array.from({ length: 5 }, () => [{ call: "act" }]);
        const agent = defineAgent({ id: "agent", tools: [act], model: scriptedModel([...steps, "All done."]) });
        const runtime = await createRuntime({ agents: [agent], store });
        const events: string[] = [];
        const writes = await countWrites(opened, async () => {
          const run = await runtime.start({ agent: "agent", threadId: "thread-1", input: "Go." });
          for await (const { type } of run.events()) events.push(type);
          expect(await run.outcome()).toMatchObject({ status: "done", text: "All done." });
        });
        await runtime.close();
        const version = (await store.forTenant("default").loadThread("thread-1"))?.thread.version ?? 0;
        return { writes, events, version };
      };
      const [plain, buffered] = [await work("plain"), await work("buffered")];
      expect(buffered.events).toEqual(plain.events);
      expect(buffered.version).toBe(plain.version);
      expect(plain.writes).toBeGreaterThanOrEqual(plain.version);
      expect(buffered.writes * 3).toBeLessThanOrEqual(plain.writes);
    });

    it("shows its own process everything that was committed, by storing it first", async () => {
      const { run, commit, tenant, storedVersion } = await useRun();
      const changeset = await commit({ calls: [buildCall({ ...placeOf(run), call_id: "c1" })] });
      expect(await storedVersion()).toBe(1);
      // What waits is served from memory to the client that follows the run.
      expect(await tenant.loadCall(run.run_id, "c1")).toMatchObject({ status: "running" });
      expect(await storedVersion()).toBe(1);
      await commit();
      const reads: readonly (() => Promise<unknown>)[] = [
        () => tenant.loadThread("thread-1"),
        () => tenant.listThreads(),
        () => tenant.listMessages("thread-1"),
        () => tenant.readMessages("thread-1", 0),
        () => tenant.loadSnapshot("thread-1"),
        () => tenant.readPatches("thread-1", 0),
        () => tenant.readChangesets("thread-1", 0),
        () => tenant.listRuns(),
        () => tenant.listRuns({ thread_id: "thread-1" }),
        () => tenant.listCalls({ run_id: run.run_id }),
        () => tenant.updateThread("thread-1", { title: "T" }),
        () => tenant.saveSnapshot("thread-1", { version: 2, state: {} }),
        () => tenant.forkThread("thread-1", 2, "fork"),
        () => tenant.decide(buildDecision({ run_id: run.run_id, call_id: "c1" })).catch(() => undefined),
      ];
      for (const [index, read] of reads.entries()) {
        await read();
        expect([index, await storedVersion()]).toEqual([index, index + 3]);
        await commit();
      }
      expect(await tenant.readChangesets("thread-1", 1, 1)).toEqual([
        { ...changeset, version: 2, digest: expect.any(String) },
      ]);
    });

    it("shows those who follow a run in its owner's process what waits, without storing it", async () => {
      const { run, claim, commit, tenant, storedVersion, plain } = await useRun();
      const all: Awaited<ReturnType<typeof commit>>["events"][number][] = [];
      for (let turn = 0; turn < 6; turn += 1) {
        const message = buildMessage(`answer-${turn}`, { role: "assistant", content: `Turn ${turn}.` });
        const { events } = await commit({
          messages: [message],
          runs: [{ ...run, steps: turn, last_seq: turn * 2 + 2 }],
        });
        all.push(...events);
        if (turn === 2) await tenant.loadThread("thread-1");
        const read = await tenant.readEvents(run.run_id, 0);
        expect(read.flatMap((segment) => segment.events)).toEqual(all);
        expect(read.map(({ epoch }) => epoch)).toEqual(Array.from({ length: turn + 1 }, () => claim.epoch));
        for (const after of [1, 3, 6, turn * 2 + 2]) {
          expect((await tenant.readEvents(run.run_id, after)).flatMap((segment) => segment.events)).toEqual(
            all.slice(after),
          );
        }
        expect(await tenant.loadRun(run.run_id)).toEqual({ ...run, steps: turn, last_seq: turn * 2 + 2 });
        expect(await tenant.lastSeqOfEpoch(run.run_id, claim.epoch)).toBe(turn * 2 + 2);
        expect(await tenant.lastSeqOfEpoch(run.run_id, claim.epoch - 1)).toBe(0);
      }
      expect(await storedVersion()).toBe(4);
      await tenant.loadThread("thread-1");
      expect(await plain.readEvents(run.run_id, 0)).toEqual(await tenant.readEvents(run.run_id, 0));
      expect(await plain.loadRun(run.run_id)).toEqual(await tenant.loadRun(run.run_id));
    });

    it("reads what never waits without storing anything", async () => {
      const { run, commit, tenant, storedVersion, store } = await useRun();
      await commit();
      await tenant.readInbox("thread-1", run.run_id);
      await tenant.loadDecision(run.run_id, "c1", 1);
      await tenant.listEntries();
      await tenant.loadThread("another");
      await tenant.listRuns({ thread_id: "another" });
      await store.forTenant("other").listThreads();
      await tenant.requestCancel(run.run_id, "enough");
      expect(await storedVersion()).toBe(1);
      expect((await tenant.readInbox("thread-1", run.run_id)).cancel).toMatchObject({ reason: "enough" });
    });

    describe("what others act on is stored at once, with what waited before it", () => {
      it("a run that waits, so that nothing open is in the stream alone, whatever the stream forgets", async () => {
        const { run, commit, tenant, plain, stream, claim, store } = await useRun();
        await commit();
        const call = buildCall({ ...placeOf(run), call_id: "c1", status: "suspended", suspension: 1 });
        await commit({ runs: [{ ...run, status: "waiting" }], calls: [call] });
        expect(await plain.loadRun(run.run_id)).toMatchObject({ status: "waiting" });
        expect((await plain.listCalls({ status: "suspended" })).total).toBe(1);
        await used.manage((manager) => manager.streams.purge(stream));
        await tenant.decide(buildDecision({ run_id: run.run_id, call_id: "c1" }));
        const [resumed] = await store.operator.claim({ owner: "later", lease_ms: 60_000, limit: 1 });
        expect(resumed).toMatchObject({ kind: "resume", run: { run_id: run.run_id } });
        expect(resumed?.lost).toBeUndefined();
        expect(resumed?.epoch).toBeGreaterThan(claim.epoch);
        expect(await expectWhole(tenant, "thread-1", run.run_id)).toHaveLength(3);
      });

      it("a call that waits for a decision while its run continues", async () => {
        const { run, commit, plain } = await useRun();
        await commit();
        await commit({ calls: [buildCall({ ...placeOf(run), call_id: "c1", status: "suspended", suspension: 1 })] });
        expect((await plain.listCalls({ status: "suspended" })).total).toBe(1);
        expect(await plain.decide(buildDecision({ run_id: run.run_id, call_id: "c1" }))).toMatchObject({
          call_id: "c1",
        });
      });

      it("a decision that is used, an entry that is closed, and a time to wake up at", async () => {
        const { run, commit, plain, storedVersion } = await useRun();
        const call = buildCall({ ...placeOf(run), call_id: "c1", status: "suspended", suspension: 1 });
        await commit({ calls: [call] });
        await plain.decide(buildDecision({ run_id: run.run_id, call_id: "c1" }));
        await commit();
        const consumed_decisions = [{ run_id: run.run_id, call_id: "c1", suspension: 1 }];
        await commit({ calls: [{ ...call, status: "resuming" }], consumed_decisions });
        expect(await storedVersion()).toBe(4);
        await plain.requestCancel(run.run_id, "enough");
        const { cancel } = await plain.readInbox("thread-1", run.run_id);
        await commit({ mailbox_effects: [{ entry_id: cancel?.entry_id ?? "", status: "accepted" }] });
        expect(await storedVersion()).toBe(5);
      });

      it("what is longer than a message of NATS may be, and numbers that JSON has no word for", async () => {
        const { run, commit, storedVersion, tenant } = await useRun();
        await commit();
        await commit({ messages: [buildMessage("long", { content: "x".repeat(700_000) })] });
        expect(await storedVersion()).toBe(3);
        await commit({ runs: [{ ...run, updated_at: Number.POSITIVE_INFINITY }] });
        expect(await storedVersion()).toBe(4);
        expect((await tenant.loadRun(run.run_id))?.updated_at).toBe(Number.POSITIVE_INFINITY);
      });
    });

    describe("bounds", () => {
      it("stores everything when too many commits wait", async () => {
        const { commit, storedVersion, waiting } = await useRun({ maxPendingCommits: 3 });
        for (let turn = 0; turn < 3; turn += 1) await commit();
        expect(await storedVersion()).toBe(1);
        await commit();
        expect(await storedVersion()).toBe(5);
        for (let turn = 0; turn < 3; turn += 1) await commit();
        expect(await storedVersion()).toBe(5);
        // The last message before stays: it is what the next one had to follow.
        await eventually(async () => expect(await waiting()).toEqual([4, 6, 7, 8]));
      });

      it("stores everything when too many bytes wait", async () => {
        const { commit, storedVersion } = await useRun({ maxPendingBytes: 20_000 });
        for (const id of ["m1", "m2"]) await commit({ messages: [buildMessage(id, { content: "x".repeat(15_000) })] });
        expect(await storedVersion()).toBe(1);
        await commit();
        expect(await storedVersion()).toBe(4);
      });

      it("stores what waits too long, and continues", async () => {
        const { run, commit, storedVersion, tenant } = await useRun({ maxPendingMs: 50 });
        for (let version = 2; version < 5; version += 1) {
          await commit();
          await eventually(async () => expect(await storedVersion()).toBe(version));
        }
        await commit({ runs: [{ ...run, status: "done" }] });
        expect(await expectWhole(tenant, "thread-1", run.run_id)).toHaveLength(5);
      });
    });

    it("stores what waits when a claim is given back and when the store is closed", async () => {
      const { commit, storedVersion, claim, store, waiting } = await useRun();
      await commit();
      await store.operator.release(claim);
      expect(await storedVersion()).toBe(2);
      await eventually(async () => expect(await waiting()).toEqual([]));
      const other = await startRun(store.forTenant("default"), "thread-2");
      await other.commit();
      await store.close();
      await store.close();
      await eventually(async () => expect(await waiting()).toEqual([]));
      await expect(other.commit()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    });

    it("tells watchers of a commit when everybody can read it", async () => {
      const { run, commit, store } = await useRun();
      const signals: StoreSignal[] = [];
      const stop = store.operator.watch((signal) => signals.push(signal));
      // Once it listens it tells of every thread that is alive: something may have been written before.
      await eventually(() => expect(signals).not.toEqual([]));
      signals.length = 0;
      await commit();
      await commit();
      expect(signals.filter(({ kind }) => kind === "commit")).toEqual([]);
      await commit({ runs: [{ ...run, status: "done" }] });
      await eventually(() => expect(signals.map(({ kind }) => kind)).toContain("commit"));
      stop();
    });

    it("lists calls of a thread, of a run and by status in the order they came", async () => {
      const { run, commit, tenant, store } = await useRun();
      const call = (call_id: string, status: "running" | "failed" = "running") =>
        buildCall({ ...placeOf(run), call_id, status });
      const other = await startRun(store.forTenant("default"), "thread-2");
      await commit({ calls: [call("c1"), call("c2")] });
      await other.commit({ calls: [buildCall({ ...placeOf(other.run), call_id: "c3" })] });
      await commit({ calls: [call("c4"), call("c1", "failed")] });
      const find = async (query: Parameters<typeof tenant.listCalls>[0]) =>
        (await tenant.listCalls(query)).items.map(({ call_id }) => call_id);
      expect(await find({ thread_id: "thread-1" })).toEqual(["c1", "c2", "c4"]);
      expect(await find({ run_id: other.run.run_id })).toEqual(["c3"]);
      expect(await find({ thread_id: "thread-1", status: "running" })).toEqual(["c2", "c4"]);
      expect((await find({ status: "running" })).toSorted()).toEqual(["c2", "c3", "c4"]);
    });

    it("shows other processes a run's commits when it waits or is done, and no part of them before", async () => {
      const { run, commit, reopen } = await useRun();
      const other = (await reopen()).forTenant("default");
      await commit({ events: buildEvents(run, 1, 2) });
      expect((await other.readEvents(run.run_id, 0)).length).toBe(0);
      expect((await other.loadThread("thread-1"))?.thread.version).toBe(1);
      await commit({ events: buildEvents(run, 3, 2), runs: [{ ...run, status: "done" }] });
      expect(await expectWhole(other, "thread-1", run.run_id)).toHaveLength(3);
    });

    it("keeps the messages of threads and of databases apart in one stream", async () => {
      const one = await used.useBuffered({ stream: "shared", prefix: "shared" });
      const two = await used.useBuffered({ stream: "shared", prefix: "shared" });
      for (const { store } of [one, two]) {
        for (const tenantId of ["a", "b"]) await (await startRun(store.forTenant(tenantId), "thread-1")).commit();
      }
      const seen = await used.manage((manager) => readStream(manager, "shared"));
      const subjects = new Set(seen.map(({ subject }) => subject));
      expect(subjects.size).toBe(4);
      expect(seen.filter(({ message }) => message.kind === "fence")).toHaveLength(4);
      await one.store.close();
      expect((await two.store.forTenant("a").loadThread("thread-1"))?.thread.version).toBe(2);
    });
  });
});

function placeOf({ run_id, thread_id }: { readonly run_id: string; readonly thread_id: string }) {
  return { run_id, thread_id };
}
