import type { StoreSignal } from "@reprise/contracts";
import {
  buildCall,
  buildChangeset,
  buildDecision,
  buildEntry,
  buildMessage,
  buildPatch,
  eventually,
} from "@reprise/testkit";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { openPostgresStore, type PostgresStore } from "../src/postgres/open-postgres-store.ts";
import { startCuttingProxy } from "./postgres/cutting-proxy.ts";
import { useServer } from "./postgres/use-server.ts";
import { startRun } from "./support/thread-work.ts";

const UNAVAILABLE = { code: "STORE_UNAVAILABLE" };
const OTHERS = "pid <> pg_backend_pid() and application_name = 'reprise'";
const TERMINATE_ALL = `select pg_terminate_backend(pid) from pg_stat_activity where ${OTHERS}`;

describeWithService("postgres", "a Postgres that fails", (service) => {
  const used = useServer(service);

  describe("connections that are ended", () => {
    it("costs no commit and no read anything", async () => {
      const { store, sql } = await used.useSchema();
      const tenant = store.forTenant("default");
      const runs = await Promise.all(Array.from({ length: 6 }, (_, index) => startRun(tenant, `thread-${index}`)));
      let isOver = false;
      const reading = (async () => {
        while (!isOver) await tenant.readMessages("thread-0", 0);
      })();
      const made = runs.map(() => 0);
      const committing = Promise.all(
        runs.map(async ({ commit }, index) => {
          for (; made[index] !== 40; made[index] = (made[index] ?? 0) + 1) await commit();
        }),
      );
      // What is ended again and again before it gets anywhere is given up on, rightly: everybody gets somewhere in between.
      const ending = (async () => {
        for (let time = 0; time < 6; time += 1) {
          const before = [...made];
          await sql(TERMINATE_ALL);
          await eventually(() =>
            expect(made.every((count, index) => count === 40 || count > (before[index] ?? 0))).toBe(true),
          );
        }
      })();
      await Promise.all([committing, ending]);
      isOver = true;
      await reading;
      for (const { run } of runs) {
        expect((await tenant.loadThread(run.thread_id))?.thread.version).toBe(41);
        const events = (await tenant.readEvents(run.run_id, 0)).flatMap((segment) => segment.events);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
      }
    });

    it("hears of the writes of others again after the listening connection was ended", async () => {
      const { store, reopen, sql } = await used.useSchema();
      const watching = await reopen({ pollMs: 50 });
      const signals: StoreSignal[] = [];
      watching.operator.watch((signal) => signals.push(signal));
      const tenant = store.forTenant("default");
      let threads = 0;
      const expectTold = async (): Promise<void> => {
        await eventually(async () => {
          threads += 1;
          const thread_id = `thread-${threads}`;
          await tenant.submit(buildEntry({ entry_id: thread_id, run_id: thread_id, thread_id }));
          const told = expect.objectContaining({ thread_id, kind: "work" });
          await vi.waitFor(() => expect(signals).toContainEqual(told), { timeout: 200 });
        });
      };
      await expectTold();
      await sql(TERMINATE_ALL);
      await expectTold();
    });

    it("answers a commit whose acknowledgement was lost with its version", async () => {
      const { store, schema, clock } = await used.useSchema();
      const { claim } = await startRun(store.forTenant("default"), "thread-1");
      const proxy = await startCuttingProxy(used.url);
      const cut = await openPostgresStore({ url: proxy.url, schema, clock });
      onTestFinished(() => cut.close());
      const tenant = cut.forTenant("default");
      const changeset = buildChangeset({
        changeset_id: "lost",
        thread_id: "thread-1",
        run_id: "thread-1-run-1",
        messages: [buildMessage("m-lost")],
      });
      proxy.cutAnswerTo("m-lost");
      // The first time it is the reading that is lost, the second time the commit.
      expect(await tenant.commit(changeset, { expected: 1, epoch: claim.epoch })).toEqual({ version: 2 });
      const next = {
        ...changeset,
        changeset_id: "next",
        messages: [buildMessage("m-next", { content: "unmistakable" })],
      };
      proxy.cutAnswerTo("unmistakable");
      expect(await tenant.commit(next, { expected: 2, epoch: claim.epoch })).toEqual({ version: 3 });
      expect(proxy.cuts).toBe(2);
      expect(await tenant.readChangesets("thread-1", 1)).toHaveLength(2);
    });

    it("answers a held commit whose acknowledgement was lost with its version, and continues", async () => {
      const { schema, clock } = await used.useSchema();
      const proxy = await startCuttingProxy(used.url);
      const cut = await openPostgresStore({ url: proxy.url, schema, clock });
      onTestFinished(() => cut.close());
      const tenant = cut.forTenant("default");
      const { commit } = await startRun(tenant, "thread-1");
      proxy.cutAnswerTo("unmistakable");
      const lost = await commit({ messages: [buildMessage("m-lost", { content: "unmistakable" })] });
      await commit();
      expect(proxy.cuts).toBe(1);
      const stored = await tenant.readChangesets("thread-1", 1);
      expect(stored).toMatchObject([{ ...lost, version: 2 }, { version: 3 }]);
    });

    it("reports a run that was started without reading as in doubt when the answer was lost", async () => {
      const { schema, clock } = await used.useSchema();
      const proxy = await startCuttingProxy(used.url);
      const cut = await openPostgresStore({ url: proxy.url, schema, clock });
      onTestFinished(() => cut.close());
      const tenant = cut.forTenant("default");
      await tenant.listThreads();
      proxy.cutAnswerTo("unmistakable-run-1-start");
      const started = startRun(tenant, "unmistakable");
      await expect(started).rejects.toMatchObject({ ...UNAVAILABLE, details: { in_doubt: true } });
      expect((await tenant.loadThread("unmistakable"))?.thread.version).toBe(1);
    });

    it("reports operations that it cannot repeat as in doubt", async () => {
      const { schema, clock } = await used.useSchema();
      const proxy = await startCuttingProxy(used.url);
      const cut = await openPostgresStore({ url: proxy.url, schema, clock });
      onTestFinished(() => cut.close());
      const tenant = cut.forTenant("default");
      proxy.cutAnswerTo("unmistakable");
      const made = tenant.createThread({ thread_id: "thread-1", metadata: { note: "unmistakable" } });
      await expect(made).rejects.toMatchObject({ ...UNAVAILABLE, details: { in_doubt: true } });
      expect((await tenant.loadThread("thread-1"))?.thread.metadata).toEqual({ note: "unmistakable" });
    });
  });

  it("refuses while the server is gone, and continues when it is back", async () => {
    const { store } = await used.useSchema({ connectTimeoutMs: 2_000, pollMs: 50 });
    const tenant = store.forTenant("default");
    const stop = store.operator.watch(() => {});
    const { commit } = await startRun(tenant, "thread-1");
    await commit();
    await used.server.kill();
    await expect(commit()).rejects.toMatchObject(UNAVAILABLE);
    await expect(tenant.loadThread("thread-1")).rejects.toMatchObject(UNAVAILABLE);
    await expect(store.operator.claim({ owner: "o", lease_ms: 1, limit: 1 })).rejects.toMatchObject(UNAVAILABLE);
    const opening = openPostgresStore({ url: used.url, waitMs: 0 });
    await expect(opening).rejects.toMatchObject({ ...UNAVAILABLE, details: { reason: "connection" } });
    await used.server.start();
    expect((await tenant.loadThread("thread-1"))?.thread.version).toBe(2);
    await commit({ changeset_id: "after", events: [] });
    expect((await tenant.loadThread("thread-1"))?.thread.version).toBe(3);
    stop();
  });

  it("loses nothing that was acknowledged when the server is ended in the middle of commits", async () => {
    const { store } = await used.useSchema();
    const tenant = store.forTenant("default");
    const acknowledged = new Map<string, number>();
    const runs = await Promise.all(Array.from({ length: 4 }, (_, index) => startRun(tenant, `thread-${index}`)));
    const work = Promise.allSettled(
      runs.map(async ({ run, commit }) => {
        for (let turn = 1; ; turn += 1) {
          await commit();
          acknowledged.set(run.thread_id, turn + 1);
        }
      }),
    );
    await eventually(() => expect(acknowledged.size).toBe(4));
    await used.server.restart();
    for (const result of await work) expect(result).toMatchObject({ status: "rejected", reason: UNAVAILABLE });
    for (const [threadId, version] of acknowledged) {
      const stored = (await tenant.loadThread(threadId))?.thread.version ?? 0;
      expect(stored).toBeGreaterThanOrEqual(version);
      expect(await tenant.readChangesets(threadId, 0, 200)).toHaveLength(Math.min(stored, 200));
    }
  });

  describe("statements that fail", () => {
    const failing = (condition: string, code: string): readonly string[] => [
      `create function fail() returns trigger language plpgsql as $$ begin
         if ${condition} then raise exception 'broken' using errcode = '${code}'; end if; return new; end $$`,
      "create trigger broken before insert on commits for each row execute function fail()",
    ];

    it("leaves the others of a batch alone", async () => {
      const { store, sql } = await used.useSchema();
      for (const text of failing("new.messages like '%unlucky%'", "22000")) await sql(text);
      const tenant = store.forTenant("default");
      const commit = async (threadId: string, content: string) => {
        await tenant.createThread({ thread_id: threadId, metadata: {} });
        const changeset = buildChangeset({ thread_id: threadId, messages: [buildMessage("m", { content })] });
        return tenant.commit(changeset, { expected: 0, epoch: null });
      };
      const results = await Promise.allSettled(
        ["fine", "unlucky", "fine", "fine"].map((content, index) => commit(`thread-${index}`, content)),
      );
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
      expect((await tenant.loadThread("thread-1"))?.thread.version).toBe(0);
      expect((await tenant.loadThread("thread-3"))?.thread.version).toBe(1);
    });

    it("leaves the others of a batch of held commits alone", async () => {
      const { store, sql } = await used.useSchema();
      for (const text of failing("new.messages like '%unlucky%'", "22000")) await sql(text);
      const tenant = store.forTenant("default");
      const runs = await Promise.all([0, 1, 2, 3].map((index) => startRun(tenant, `thread-${index}`)));
      const commits = runs.map(({ commit }, index) =>
        commit({ messages: [buildMessage(index === 1 ? "unlucky" : "fine")] }),
      );
      const results = await Promise.allSettled(commits);
      expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled", "fulfilled"]);
      const versions = await Promise.all(runs.map(({ run }) => tenant.loadThread(run.thread_id)));
      expect(versions.map((head) => head?.thread.version)).toEqual([2, 1, 2, 2]);
    });

    it("says that the disk is full, reads on, and writes again when there is space", async () => {
      const { store, sql } = await used.useSchema();
      const tenant = store.forTenant("default");
      const { commit } = await startRun(tenant, "thread-1");
      for (const text of failing("true", "53100")) await sql(text);
      await expect(commit()).rejects.toMatchObject({ code: "STORAGE_FULL" });
      expect((await tenant.loadThread("thread-1"))?.thread.version).toBe(1);
      await sql("drop trigger broken on commits");
      await commit({ changeset_id: "after", events: [] });
      expect((await tenant.loadThread("thread-1"))?.thread.version).toBe(2);
    });

    it("gives up on a statement that takes too long", async () => {
      const { store, reopen, sql } = await used.useSchema();
      await sql(
        "create function nap() returns trigger language plpgsql as $$ begin perform pg_sleep(5); return new; end $$",
      );
      await sql("create trigger slow before insert on threads for each row execute function nap()");
      const hasty = await reopen({ statementTimeoutMs: 100 });
      const made = hasty.forTenant("t").createThread({ thread_id: "slow", metadata: {} });
      await expect(made).rejects.toMatchObject({ ...UNAVAILABLE, details: { reason: "timeout" } });
      expect((await store.forTenant("t").listThreads()).total).toBe(0);
    });
  });

  it("waits for a connection to become free, and says so when none does", async () => {
    const { reopen, sql } = await used.useSchema();
    const narrow = await reopen({ maxConnections: 1 });
    const tenant = narrow.forTenant("t");
    await Promise.all(
      Array.from({ length: 30 }, (_, index) => tenant.createThread({ thread_id: `t${index}`, metadata: {} })),
    );
    const lists = await Promise.all(Array.from({ length: 30 }, () => tenant.listThreads()));
    expect(lists.every(({ total }) => total === 30)).toBe(true);
    const [allowed] = await sql("select current_setting('max_connections')::int as n");
    const crowd = await Promise.allSettled(
      Array.from({ length: Number(allowed?.n) + 5 }, () =>
        openPostgresStore({ url: used.url, maxConnections: 1, waitMs: 0 }),
      ),
    );
    onTestFinished(async () => {
      for (const result of crowd) if (result.status === "fulfilled") await result.value.close();
    });
    const refused = crowd.filter((result) => result.status === "rejected");
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused) {
      expect(reason).toMatchObject({ ...UNAVAILABLE, details: { reason: "too_many_connections" } });
    }
  });

  it("does what was asked before it was closed, refuses what comes after, and leaves no connection behind", async () => {
    const { store, reopen, sql } = await used.useSchema();
    const closing = await reopen();
    closing.operator.watch(() => {});
    const tenant = closing.forTenant("t");
    await tenant.listThreads();
    const made = tenant.createThread({ thread_id: "in time", metadata: {} });
    const closed = closing.close();
    expect(await made).toMatchObject({ thread_id: "in time" });
    await expect(tenant.createThread({ thread_id: "late", metadata: {} })).rejects.toMatchObject(UNAVAILABLE);
    await closed;
    await closing.close();
    await expect(tenant.loadThread("in time")).rejects.toMatchObject(UNAVAILABLE);
    expect((await store.forTenant("t").listThreads()).total).toBe(1);
    await store.close();
    await eventually(async () => expect(await sql(`select pid from pg_stat_activity where ${OTHERS}`)).toEqual([]));
  });

  describe("a row with a flipped character", () => {
    type Tenant = ReturnType<PostgresStore["forTenant"]>;
    const damaged = (text: string): string => `update commits set ${text} = ${text} || ' ' ${OF_HURT}`;
    const OF_HURT = "where thread_key = (select key from threads where thread_id = 'hurt')";
    const DAMAGES: readonly (readonly [string, string, (tenant: Tenant, id: string) => Promise<unknown>])[] = [
      ["messages", damaged("messages"), (tenant, id) => tenant.readMessages(id, 0)],
      ["rest", damaged("rest"), (tenant, id) => tenant.readChangesets(id, 0)],
      ["patches", damaged("patches"), (tenant, id) => tenant.readPatches(id, 0)],
      ["events", damaged("events"), (tenant, id) => tenant.readEvents(`${id}-run-1`, 0)],
      ["calls", damaged("calls"), (tenant, id) => tenant.readChangesets(id, 0)],
      ["snapshot", `update snapshots set body = body || ' ' ${OF_HURT}`, (tenant, id) => tenant.loadSnapshot(id)],
    ];

    async function useFilled() {
      const opened = await used.useSchema();
      const tenant = opened.store.forTenant("default");
      for (const threadId of ["hurt", "fine"]) {
        const { run, commit } = await startRun(tenant, threadId);
        const place = { run_id: run.run_id, thread_id: threadId };
        await commit({
          calls: [buildCall({ ...place, call_id: "c1", status: "suspended", suspension: 1 })],
          patches: [buildPatch("p1", "n", 1)],
          runs: [{ ...run, status: "waiting" }],
        });
        await tenant.decide(buildDecision({ run_id: run.run_id, call_id: "c1" }));
        await tenant.saveSnapshot(threadId, { version: 1, state: { n: 1 } });
      }
      return { ...opened, tenant };
    }

    it.each(DAMAGES)(
      "is found in a %s, closes its thread for writing, and leaves others alone",
      async (_, sql, read) => {
        const opened = await useFilled();
        const { tenant, store } = opened;
        await opened.sql(sql);
        await expect(read(tenant, "hurt")).rejects.toMatchObject({ code: "CORRUPT_DATA" });
        await read(tenant, "fine");
        const commit = (id: string) =>
          tenant.commit(buildChangeset({ changeset_id: "x", thread_id: id }), { expected: "any", epoch: null });
        await expect(commit("hurt")).rejects.toMatchObject({ code: "CORRUPT_DATA" });
        expect(await commit("fine")).toEqual({ version: 3 });
        const claims = await store.operator.claim({ owner: "o", lease_ms: 1, limit: 10 });
        expect(claims.map(({ thread_id }) => thread_id)).toEqual(["fine"]);
        expect((await tenant.loadThread("hurt"))?.thread.version).toBe(2);
      },
    );

    it("does not keep others of its batch, nor other claims, from being written", async () => {
      const { tenant, store, sql } = await useFilled();
      await sql("update run_records set body = body || ' ' where run_id = 'hurt-run-1'");
      const updates = await Promise.allSettled(["hurt", "fine"].map((id) => tenant.updateThread(id, { note: "x" })));
      expect(updates.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
      const claims = await store.operator.claim({ owner: "o", lease_ms: 60_000, limit: 10 });
      expect(claims.map(({ thread_id }) => thread_id)).toEqual(["fine"]);
    });
  });
});
