import type { StoreSignal } from "@reprise/contracts";
import { buildChangeset, buildEntry, buildMessage, buildRun, eventually } from "@reprise/testkit";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import { openPostgresStore, type PostgresStore } from "../src/postgres/open-postgres-store.ts";
import { useServer } from "./postgres/use-server.ts";
import { runChild } from "./support/run-child.ts";
import { startRun } from "./support/thread-work.ts";

/** Connections in the middle of something. */
const BUSY = `select pid from pg_stat_activity
  where backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()`;

describeWithService("postgres", "several processes on one Postgres", (service) => {
  const used = useServer(service);

  it("shares all work among those that claim, each thread once", async () => {
    const { store, reopen } = await used.useSchema();
    const others = await Promise.all([reopen(), reopen()]);
    const tenant = store.forTenant("default");
    const ids = Array.from({ length: 60 }, (_, index) => `thread-${index}`);
    await Promise.all(
      ids.map((id) => tenant.submit(buildEntry({ entry_id: `e-${id}`, run_id: `r-${id}`, thread_id: id }))),
    );
    const claimAll = async ({ operator }: PostgresStore, owner: string): Promise<string[]> => {
      const mine: string[] = [];
      for (;;) {
        const claims = await operator.claim({ owner, lease_ms: 60_000, limit: 7 });
        mine.push(...claims.map(({ thread_id }) => thread_id));
        if (claims.length === 0) return mine;
      }
    };
    const shares = await Promise.all([store, ...others].map((handle, index) => claimAll(handle, `owner-${index}`)));
    expect(shares.flat().toSorted()).toEqual(ids.toSorted());
    expect(await store.operator.claim({ owner: "late", lease_ms: 1, limit: 1 })).toEqual([]);
  });

  it("claims what is most urgent first, and no more than was asked for", async () => {
    const { store, advance } = await used.useSchema();
    const tenant = store.forTenant("default");
    await startRun(tenant, "abandoned");
    advance(60_000);
    for (const id of ["first", "second"]) {
      await tenant.submit(buildEntry({ entry_id: id, run_id: `run-${id}`, thread_id: id }));
      advance(1);
    }
    const claim = async (limit: number) =>
      (await store.operator.claim({ owner: "o", lease_ms: 60_000, limit })).map(({ kind, thread_id }) => [
        kind,
        thread_id,
      ]);
    expect(await claim(2)).toEqual([
      ["recover", "abandoned"],
      ["start", "first"],
    ]);
    expect(await claim(2)).toEqual([["start", "second"]]);
  });

  it("tells another handle of work, inboxes and commits", async () => {
    const { store, reopen } = await used.useSchema();
    const signals = await watchReady(await reopen(), store);
    const { run } = await startRun(store.forTenant("default"), "thread-1");
    await store.forTenant("default").requestCancel(run.run_id, "enough");
    const place = { tenant: "default", thread_id: "thread-1", run_id: run.run_id };
    await eventually(() => expect(signals).toContainEqual({ ...place, kind: "commit" }));
    await eventually(() => expect(signals).toContainEqual({ ...place, kind: "inbox" }));
  });

  it("hears nothing of a store in another schema", async () => {
    const one = await used.useSchema();
    const two = await used.useSchema();
    const signals = await watchReady(await one.reopen(), one.store);
    await startRun(two.store.forTenant("default"), "elsewhere");
    await startRun(one.store.forTenant("default"), "here");
    await eventually(() => expect(signals.map(({ thread_id }) => thread_id)).toContain("here"));
    expect(signals.map(({ thread_id }) => thread_id)).not.toContain("elsewhere");
    expect((await one.store.forTenant("default").listThreads()).items.map(({ thread_id }) => thread_id)).toContain(
      "here",
    );
    expect((await two.store.forTenant("default").listThreads()).total).toBe(1);
  });

  it("has everything that was acknowledged when a process is killed in the middle of commits", async () => {
    const { schema, store, sql } = await used.useSchema();
    const counts = fc.sample(fc.integer({ min: 1, max: 200 }), {
      numRuns: 4,
      seed: fc.readConfigureGlobal().seed ?? 0,
    });
    for (const [round, count] of counts.entries()) {
      const child = runChild("../postgres/commit-for-ever.ts", used.url, schema, String(round));
      const acknowledged = new Map<string, string>();
      let heard = 0;
      for await (const line of child.lines) {
        const [threadId = "", changesetId = ""] = line.split(" ");
        acknowledged.set(threadId, changesetId);
        heard += 1;
        if (heard === count) child.process.kill("SIGKILL");
      }
      await child.exited;
      // What was sent before the end is still done, or not, by the server.
      await eventually(async () => expect(await sql(BUSY)).toEqual([]));
      const tenant = store.forTenant("default");
      for (const [threadId, lastId] of acknowledged) {
        const changesets = await tenant.readChangesets(threadId, 0, 200);
        expect(changesets.map(({ version }) => version)).toEqual(changesets.map((_, index) => index + 1));
        expect(changesets.map(({ changeset_id }) => changeset_id)).toContain(lastId);
        const events = (await tenant.readEvents(`${threadId}-run-1`, 0)).flatMap((segment) => segment.events);
        expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
        expect(events.length).toBe((changesets.length - 1) * 2);
        expect((await tenant.readMessages(threadId, 0)).messages.length).toBe(changesets.length);
      }
    }
  });

  it("never lets writers of many handles wait for each other in a circle", async () => {
    const { store, reopen, sql } = await used.useSchema();
    const handles = [store, ...(await Promise.all(Array.from({ length: 3 }, () => reopen())))];
    const ids = Array.from({ length: 12 }, (_, index) => `thread-${index}`);
    await Promise.all(ids.map((thread_id) => store.forTenant("t").createThread({ thread_id, metadata: {} })));
    const rounds = 15;
    const write = async (handle: PostgresStore, writer: number): Promise<void> => {
      const tenant = handle.forTenant("t");
      const order = writer % 2 === 0 ? ids : ids.toReversed();
      for (let round = 0; round < rounds; round += 1) {
        await Promise.all(
          order.map((thread_id) => {
            const id = `${writer}-${round}`;
            const changeset = buildChangeset({ changeset_id: id, thread_id, messages: [buildMessage(`m-${id}`)] });
            return tenant.commit(changeset, { expected: "any", epoch: null });
          }),
        );
      }
    };
    // Two writers a handle: eight in all.
    await Promise.all([...handles, ...handles].map(write));
    for (const thread_id of ids) {
      expect((await store.forTenant("t").loadThread(thread_id))?.thread.version).toBe(8 * rounds);
    }
    const [deadlocks] = await sql("select deadlocks from pg_stat_database where datname = current_database()");
    expect(deadlocks?.deadlocks).toBe(0);
  });

  it("fences lost owners off, and never lets their batches and those of new owners wait for each other in a circle", async () => {
    const { store, reopen, sql, advance } = await used.useSchema();
    const other = await reopen();
    const ids = Array.from({ length: 12 }, (_, index) => `thread-${index}`);
    const lost = await Promise.all(ids.map((id) => startRun(store.forTenant("default"), id)));
    advance(120_000);
    const claims = await other.operator.claim({ owner: "new", lease_ms: 60_000, limit: 50 });
    expect(claims).toHaveLength(12);
    const rounds = 10;
    for (let round = 0; round < rounds; round += 1) {
      const refused = lost.map(({ commit }) => commit({ changeset_id: `lost-${round}`, events: [] }));
      const written = claims.toReversed().map(({ thread_id, epoch, run }) => {
        const message = buildMessage(`m-${round}`);
        const run_id = run?.run_id ?? "";
        const changeset = buildChangeset({ changeset_id: `new-${round}`, thread_id, run_id, messages: [message] });
        return other.forTenant("default").commit(changeset, { expected: round + 1, epoch });
      });
      for (const result of await Promise.allSettled(refused)) {
        expect(result).toMatchObject({ status: "rejected", reason: { code: "STALE_EPOCH" } });
      }
      expect(await Promise.all(written)).toEqual(ids.map(() => ({ version: round + 2 })));
    }
    const [deadlocks] = await sql("select deadlocks from pg_stat_database where datname = current_database()");
    expect(deadlocks?.deadlocks).toBe(0);
  });

  it("lets one of many start a run under an id on different threads, and refuses the others", async () => {
    const { store, reopen } = await used.useSchema();
    const handles = [store, store, await reopen(), await reopen()];
    const started = await Promise.allSettled(
      handles.map((handle, index) => {
        const thread_id = `t${index}`;
        const run = buildRun({ run_id: "one", thread_id });
        const changeset = buildChangeset({ changeset_id: "c", thread_id, run_id: "one", runs: [run] });
        const claiming = { owner: "o", lease_ms: 60_000, changeset, expected: 0 };
        return handle.forTenant("t").submit(buildEntry({ entry_id: `e${index}`, run_id: "one", thread_id }), claiming);
      }),
    );
    expect(started.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of started) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "RUN_EXISTS" });
    }
    expect((await store.forTenant("t").listThreads()).total).toBe(1);
  });

  it("lets one of many make a thread, and refuses the others", async () => {
    const { store, reopen } = await used.useSchema();
    const handles = [store, ...(await Promise.all(Array.from({ length: 3 }, () => reopen())))];
    const made = await Promise.allSettled(
      handles.map((handle) => handle.forTenant("t").createThread({ thread_id: "wanted", metadata: {} })),
    );
    expect(made.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of made) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "THREAD_EXISTS" });
    }
    const entries = await Promise.allSettled(
      handles.map((handle, index) =>
        handle.forTenant("t").submit(buildEntry({ entry_id: `e${index}`, run_id: "one", thread_id: `t${index}` })),
      ),
    );
    expect(entries.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const result of entries) {
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "RUN_EXISTS" });
    }
  });

  it("uses the database's clock when it has none of its own", async () => {
    const { schema, sql } = await used.useSchema();
    const store = await openPostgresStore({ url: used.url, schema });
    onTestFinished(() => store.close());
    const readTime = async (): Promise<number> => {
      const [server] = await sql("select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as now");
      return Number(server?.now);
    };
    const before = await readTime();
    const thread = await store.forTenant("t").createThread({ thread_id: "now", metadata: {} });
    expect(thread.created_at).toBeGreaterThanOrEqual(before);
    expect(thread.created_at).toBeLessThanOrEqual(await readTime());
    expect(Number.isInteger(thread.created_at)).toBe(true);
  });

  /** Signals a handle hears, once it hears at all: listening takes a connection first. */
  async function watchReady(watching: PostgresStore, writing: PostgresStore): Promise<readonly StoreSignal[]> {
    const signals: StoreSignal[] = [];
    watching.operator.watch((signal) => signals.push(signal));
    let tries = 0;
    await eventually(async () => {
      tries += 1;
      const changeset = buildChangeset({ changeset_id: `ready-${tries}`, thread_id: "ready" });
      const tenant = writing.forTenant("default");
      if (tries === 1) await tenant.createThread({ thread_id: "ready", metadata: {} });
      await tenant.commit(changeset, { expected: "any", epoch: null });
      expect(signals.length).toBeGreaterThan(0);
    });
    return signals;
  }
});
