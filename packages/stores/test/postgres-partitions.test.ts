import { RepriseError, type Store } from "@reprise/contracts";
import { buildChangeset, buildEntry, buildMessage, buildRun } from "@reprise/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { describeWithService } from "../../../test/support/describe-with-service.ts";
import {
  ensureSchema,
  openPostgresDriver,
  openPostgresStore,
  type PostgresStoreOptions,
  postgres,
} from "../src/postgres/open-postgres-store.ts";
import { placeOfThread } from "../src/postgres/partitions/place-of-id.ts";
import { startCuttingProxy } from "./postgres/cutting-proxy.ts";
import { useServer } from "./postgres/use-server.ts";
import { startRun } from "./support/thread-work.ts";

const TENANT = "tenant-1";

/** A thread that is in a database. */
function threadIn(place: number, count = 2, number = 0): string {
  for (let index = 0; ; index += 1) {
    const id = `thread-${number}-${index}`;
    if (placeOfThread(TENANT, id, count) === place) return id;
  }
}

const places = "select run_id, thread_id from run_places";

it("refuses options that name no databases, or both one and several", async () => {
  for (const options of [{ urls: [] }, { url: "postgres://a", urls: ["postgres://a", "postgres://b"] }]) {
    await expect(openPostgresStore(options)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  }
  // As the store that buffers in NATS opens its database.
  const several = openPostgresDriver({ urls: ["postgres://a", "postgres://b"] });
  await expect(several).rejects.toMatchObject({ code: "INVALID_REQUEST" });
});

describeWithService("postgres", "a store over several Postgres databases", (service) => {
  const used = useServer(service);

  async function expectChanged(options: PostgresStoreOptions, details: Readonly<Record<string, unknown>>) {
    const opening = openPostgresStore({ waitMs: 0, ...options });
    await expect(opening).rejects.toMatchObject({ code: "PARTITIONS_CHANGED", details });
  }

  describe("knows its databases", () => {
    it("by the place that each has, and opens with them again", async () => {
      const { urls, sql, reopen } = await used.useSet(3);
      const select = "select set_id, position, count, is_complete from partition_set";
      const rows = await Promise.all(urls.map(async (_, place) => (await sql(place, select))[0]));
      expect(rows).toMatchObject([0, 1, 2].map((position) => ({ position, count: 3, is_complete: true })));
      expect(new Set(rows.map((row) => row?.set_id)).size).toBe(1);
      await reopen();
      await ensureSchema({ urls });
    });

    it("and refuses fewer, more, another order, one twice and one alone, with the remedy", async () => {
      const { urls, store } = await used.useSet(2);
      const [one = "", two = ""] = urls;
      const more = await used.makeDatabase();
      await expectChanged({ urls: [one, two, more] }, { reason: "count", stored_count: 2, count: 3 });
      await expectChanged({ urls: [two, one] }, { reason: "order", position: 0, stored_position: 1 });
      await expectChanged({ urls: [one, one] }, { reason: "order", position: 1, stored_position: 0 });
      await expectChanged({ url: one }, { reason: "count", stored_count: 2, count: 1 });
      await expectChanged({ urls: [two] }, { reason: "count", stored_count: 2, count: 1 });
      await expect(ensureSchema({ url: two })).rejects.toMatchObject({ code: "PARTITIONS_CHANGED" });
      await expect(ensureSchema({ urls: [two, one] })).rejects.toThrow("in the same order");
      await store.forTenant(TENANT).createThread({ thread_id: "works", metadata: {} });
    });

    it("and takes no empty database and none of another set in the place of one", async () => {
      const [one, two] = [await used.useSet(2), await used.useSet(2)];
      const empty = await used.makeDatabase();
      await expectChanged({ urls: [one.urls[0] ?? "", empty] }, { reason: "missing", position: 1 });
      await expectChanged({ urls: [one.urls[0] ?? "", two.urls[1] ?? ""] }, { reason: "set", position: 1 });
    });

    it("and begins with empty databases only", async () => {
      const url = await used.makeDatabase();
      const alone = await postgres(url);
      await alone.forTenant(TENANT).createThread({ thread_id: "t", metadata: {} });
      await alone.close();
      const other = await used.makeDatabase();
      await expectChanged({ urls: [url, other] }, { reason: "not_empty", position: 0 });
      // It is still a store of its own.
      const again = await postgres(url);
      onTestFinished(() => again.close());
      expect(await again.forTenant(TENANT).listThreads()).toMatchObject({ total: 1 });
    });

    it("gives the places once, however many processes open it for the first time", async () => {
      const urls = [await used.makeDatabase(), await used.makeDatabase()];
      const stores = await Promise.all(Array.from({ length: 4 }, () => postgres(urls)));
      onTestFinished(async () => {
        for (const store of stores) await store.close();
      });
      const threads = Array.from({ length: 8 }, (_, index) => `t${index}`);
      for (const [index, thread_id] of threads.entries())
        await stores[index % 4]?.forTenant(TENANT).createThread({ thread_id, metadata: {} });
      for (const store of stores) expect(await store.forTenant(TENANT).listThreads()).toMatchObject({ total: 8 });
    });

    it("completes a set that a process began and died", async () => {
      const { urls, sql, store } = await used.openSet(2);
      await store.close();
      await sql(0, "update partition_set set is_complete = false");
      await sql(1, "drop table partition_set", "drop table run_places");
      const again = await postgres(urls);
      onTestFinished(() => again.close());
      expect(await sql(1, "select position, is_complete from partition_set")).toMatchObject([
        { position: 1, is_complete: true },
      ]);
    });

    it("is opened without changing tables once they are made", async () => {
      const urls = [await used.makeDatabase(), await used.makeDatabase()];
      await expect(postgres(urls, { migrates: false })).rejects.toMatchObject({ code: "SCHEMA_OUTDATED" });
      await ensureSchema({ urls });
      const store = await postgres(urls, { migrates: false });
      onTestFinished(() => store.close());
      await store.forTenant(TENANT).createThread({ thread_id: "t", metadata: {} });
    });
  });

  describe("finds runs", () => {
    it("whose ids name their database without looking them up", async () => {
      const { store, reopen, sql } = await used.useSet();
      const other = await reopen();
      const tenant = store.forTenant(TENANT);
      for (const place of [0, 1]) {
        const thread_id = threadIn(place);
        const run_id = tenant.placeId?.("5d0f", thread_id) ?? "";
        expect(run_id).toBe(`p${place}~5d0f`);
        await tenant.submit(buildEntry({ entry_id: `${run_id}-entry`, thread_id, run_id }));
        await other.forTenant(TENANT).requestCancel(run_id, "enough");
        expect((await tenant.listEntries({ run_id })).items).toMatchObject([{ thread_id, status: "cancelled" }]);
        expect(await sql(place, places)).toEqual([]);
      }
    });

    it("whose ids clients chose, and runs on threads elsewhere than their ids say", async () => {
      const { store, reopen, sql } = await used.useSet();
      const tenant = store.forTenant(TENANT);
      const [one, two] = [threadIn(0), threadIn(1)];
      const asked = [
        ["chosen-1", one],
        ["chosen-2", two],
        ["p1~elsewhere", one],
      ] as const;
      for (const [run_id, thread_id] of asked)
        await tenant.submit(buildEntry({ entry_id: `${run_id}-entry`, thread_id, run_id }));
      const other = (await reopen()).forTenant(TENANT);
      for (const [run_id, thread_id] of asked) {
        expect((await other.listEntries({ run_id })).items).toMatchObject([{ thread_id }]);
        await other.requestCancel(run_id, "enough");
      }
      expect([...(await sql(0, places)), ...(await sql(1, places))]).toHaveLength(3);
    });

    it("and gives an id to one of two threads that want it at the same moment in two databases", async () => {
      const { store, reopen } = await used.useSet();
      const tenants = [store.forTenant(TENANT), (await reopen()).forTenant(TENANT)];
      for (let round = 0; round < 10; round += 1) {
        const wanted = [threadIn(0, 2, round), threadIn(1, 2, round)].map(async (thread_id, index) => {
          const entry = buildEntry({ entry_id: `e${round}-${index}`, thread_id, run_id: `run-${round}` });
          return tenants[index]?.submit(entry);
        });
        const outcomes = await Promise.allSettled(wanted);
        expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
        const [refused] = outcomes.flatMap((outcome) => (outcome.status === "rejected" ? [outcome.reason] : []));
        expect(refused).toMatchObject({ code: "RUN_EXISTS" });
        expect(await tenants[0]?.listEntries({ run_id: `run-${round}` })).toMatchObject({ total: 1 });
      }
    });

    it("and frees an id whose submission was refused, or whose thread is gone", async () => {
      const { store, advance } = await used.useSet();
      const tenant = store.forTenant(TENANT);
      const [one, two] = [threadIn(0), threadIn(1)];
      await startRun(tenant, one);
      const rejected = buildEntry({ entry_id: "e1", thread_id: one, run_id: "wanted", busy_policy: "reject" });
      await expect(tenant.submit(rejected)).rejects.toMatchObject({ code: "THREAD_BUSY" });
      const elsewhere = buildEntry({ entry_id: "e2", thread_id: two, run_id: "wanted" });
      // The other one might still be under way.
      await expect(tenant.submit(elsewhere)).rejects.toMatchObject({ code: "RUN_EXISTS" });
      advance(11 * 60_000);
      expect(await tenant.submit(elsewhere)).toMatchObject({ status: "queued" });
      advance(11 * 60_000);
      await tenant.deleteThread(two);
      expect(await tenant.submit(buildEntry({ entry_id: "e3", thread_id: one, run_id: "wanted" }))).toMatchObject({
        status: "queued",
      });
    });
  });

  it("pages lists of all databases in one order", async () => {
    const { store, advance } = await used.useSet(3);
    const tenant = store.forTenant(TENANT);
    const made: string[] = [];
    for (let index = 0; index < 40; index += 1) {
      made.push(`t${index}`);
      await tenant.createThread({ thread_id: `t${index}`, metadata: {} });
      await tenant.submit(buildEntry({ entry_id: `e${index}`, thread_id: `t${index}`, run_id: `r${index}` }));
      await tenant.saveDocument({ kind: "note", id: `d${index}`, body: index }, 0);
      advance(1);
    }
    const pages = [0, 7, 14, 21, 28, 35, 42].map((offset) => ({ offset, limit: 7 }));
    const threads = await Promise.all(pages.map((page) => tenant.listThreads(page)));
    expect(threads.flatMap(({ items }) => items.map(({ thread_id }) => thread_id))).toEqual(made.toReversed());
    expect(threads.map(({ has_more }) => has_more)).toEqual([true, true, true, true, true, false, false]);
    const entries = await Promise.all(pages.map((page) => tenant.listEntries(page)));
    expect(entries.flatMap(({ items }) => items.map(({ thread_id }) => thread_id))).toEqual(made);
    const ids: string[] = [];
    for (let after: string | undefined = ""; after !== undefined; ) {
      const page = await tenant.listDocuments({ kind: "note", limit: 7, ...(after !== "" && { after }) });
      ids.push(...page.items.map(({ id }) => id));
      after = page.next;
    }
    expect(ids).toEqual(made.map((id) => id.replace("t", "d")).toSorted());
  });

  it("forks a thread into another database, with what it refers to", async () => {
    const { store, advance } = await used.useSet();
    const tenant = store.forTenant(TENANT);
    const { ref } = await store.blobs.put(TENANT, new Uint8Array([1, 2, 3]));
    const [from, to] = [threadIn(0), threadIn(1)];
    const { run, commit } = await startRun(tenant, from);
    await commit({ messages: [buildMessage("m1", { content: `It is ${ref}.` })] });
    await commit({ runs: [{ ...run, status: "done" }], messages: [buildMessage("m2")], events: [] });
    expect(await tenant.forkThread(from, 2, to)).toMatchObject({ thread_id: to, parent_thread_id: from, version: 1 });
    expect((await tenant.listMessages(to)).messages.map(({ id }) => id)).toEqual([`${from}-run-1-m0`, "m1"]);
    await tenant.deleteThread(from);
    advance(50 * 60 * 60_000);
    expect(await store.blobs.collect()).toBe(0);
    await tenant.deleteThread(to);
    expect(await store.blobs.collect()).toBe(1);
  });

  it("deletes no blob that a thread comes to refer to while it is collected", async () => {
    const { store, advance, reopen } = await used.useSet();
    const handles = [store, await reopen()] as const;
    for (let round = 0; round < 5; round += 1) {
      const content = new TextEncoder().encode(`blob ${round}`);
      const { ref } = await store.blobs.put(TENANT, content);
      advance(50 * 60 * 60_000);
      const thread_id = threadIn(round % 2, 2, round);
      const refer = async (): Promise<void> => {
        // Who refers to a blob has put it before: that makes it young again.
        await handles[0].blobs.put(TENANT, content);
        const changeset = buildChangeset({
          changeset_id: `c${round}`,
          thread_id,
          messages: [buildMessage(`m${round}`, { content: ref })],
        });
        await handles[0].forTenant(TENANT).createThread({ thread_id, metadata: {} });
        await handles[0].forTenant(TENANT).commit(changeset, { expected: 0, epoch: null });
      };
      await Promise.all([refer(), handles[0].blobs.collect(), handles[1].blobs.collect()]);
      advance(50 * 60 * 60_000);
      await Promise.all(handles.map(({ blobs }) => blobs.collect()));
      expect((await store.blobs.get(TENANT, ref)).content).toEqual(content);
    }
  });

  it("works on in one database while another is away", async () => {
    const proxy = await startCuttingProxy(used.url);
    const { urls, store } = await openBehind(proxy.url);
    const tenant = store.forTenant(TENANT);
    const [here, away] = [threadIn(0), threadIn(1)];
    for (const thread_id of [here, away]) {
      const run_id = `run-of-${thread_id}`;
      await tenant.submit(buildEntry({ entry_id: `${run_id}-entry`, thread_id, run_id }));
    }
    const claims = await store.operator.claim({ owner: "o", lease_ms: 4_000, limit: 10 });
    expect(claims).toHaveLength(2);
    await tenant.submit(buildEntry({ entry_id: "next-entry", thread_id: threadIn(0, 2, 1), run_id: "p0~next" }));
    proxy.close();
    const next = await store.operator.claim({ owner: "o", lease_ms: 4_000, limit: 10 });
    expect(next).toMatchObject([{ thread_id: threadIn(0, 2, 1) }]);
    const renewed = await store.operator.renew(claims, 60_000);
    const before = new Map(claims.map((claim) => [claim.thread_id, claim]));
    expect(renewed).toHaveLength(2);
    for (const claim of renewed) {
      const given = before.get(claim.thread_id);
      if (claim.thread_id === away) expect(claim).toBe(given);
      else expect(claim.lease_until).toBeGreaterThan(given?.lease_until ?? Number.POSITIVE_INFINITY);
    }
    await expect(tenant.loadThread(away)).rejects.toSatisfy((error) => RepriseError.is(error, "STORE_UNAVAILABLE"));
    expect(urls).toHaveLength(2);

    async function openBehind(server: string): Promise<{ readonly urls: readonly string[]; readonly store: Store }> {
      const direct = await used.makeDatabase();
      const other = new URL(await used.makeDatabase());
      const behind = new URL(server);
      behind.pathname = other.pathname;
      const both = [direct, behind.href];
      const opened = await postgres(both, { connectTimeoutMs: 2_000 });
      onTestFinished(() => opened.close());
      return { urls: both, store: opened };
    }
  });

  it("loses nothing of a run that ends while another of its tenant is elsewhere", async () => {
    const { store, reopen } = await used.useSet();
    const tenant = store.forTenant(TENANT);
    const started = await Promise.all([0, 1].map((place) => startRun(tenant, threadIn(place))));
    for (const { commit } of started) for (let turn = 0; turn < 3; turn += 1) await commit();
    const other = (await reopen()).forTenant(TENANT);
    for (const { run } of started) {
      const events = (await other.readEvents(run.run_id, 0)).flatMap((segment) => segment.events);
      expect(events.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
      expect(await other.loadRun(run.run_id)).toEqual(buildRun({ run_id: run.run_id, thread_id: run.thread_id }));
    }
    expect((await other.listRuns()).items).toHaveLength(2);
  });
});
