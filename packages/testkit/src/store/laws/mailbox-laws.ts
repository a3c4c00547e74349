import { MAX_ATTEMPTS } from "@reprise/contracts";
import { expect } from "vitest";
import { buildChangeset } from "../../build/build-changeset.ts";
import { buildEntry, buildRun } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import { entryStatuses, runNext } from "../mailbox-steps.ts";
import { expectRefusal } from "../refusal.ts";
import { LEASE_MS } from "../store-bench.ts";

/** Admission: what enters a thread's queue and in which order it leaves. */
export function mailboxLaws(law: Law): void {
  law("makes the thread with its first entry", async (bench) => {
    const request = { agent_id: "a", messages: [], resource_id: "someone", parent_thread_id: "parent" };
    const submitted = await bench.tenant.submit(buildEntry({ request }));
    expect(submitted).toMatchObject({
      status: "queued",
      entry: { status: "queued", attempts: 0, kind: "run", request },
    });
    const head = await bench.tenant.loadThread("thread-1");
    expect(head?.thread).toMatchObject({
      version: 0,
      resource_id: "someone",
      parent_thread_id: "parent",
      metadata: {},
    });
    expect(head?.open_run).toBeUndefined();
  });

  law("starts a run on an idle thread in one step", async (bench) => {
    const entry = buildEntry({ run_id: "run-1" });
    const changeset = buildChangeset({ run_id: "run-1", runs: [buildRun()] });
    const claiming = { owner: "owner-1", lease_ms: LEASE_MS, changeset, expected: 0 };
    const submitted = await bench.tenant.submit(entry, claiming);
    expect(submitted).toMatchObject({
      status: "claimed",
      version: 1,
      entry: { status: "accepted" },
      claim: { tenant: "tenant-1", thread_id: "thread-1", owner: "owner-1", kind: "start" },
    });
    expect((await bench.tenant.loadThread("thread-1"))?.open_run?.run_id).toBe("run-1");
    expect(await entryStatuses(bench)).toEqual({ "entry-1": "accepted" });
    expect(await bench.claim()).toEqual([]);
  });

  law("only enqueues when the thread is not idle", async (bench) => {
    const owner = await bench.start();
    const entry = buildEntry({ entry_id: "later", run_id: "run-later" });
    const changeset = buildChangeset({
      changeset_id: "x",
      run_id: "run-later",
      runs: [buildRun({ run_id: "run-later" })],
    });
    const claiming = { owner: "owner-1", lease_ms: LEASE_MS, changeset, expected: 1 };
    expect(await bench.tenant.submit(entry, claiming)).toMatchObject({ status: "queued" });
    expect((await bench.tenant.loadThread("thread-1"))?.thread.version).toBe(1);
    await owner.become("done");
    const behind = buildEntry({ entry_id: "behind", run_id: "run-behind" });
    const second = { ...claiming, changeset: { ...changeset, run_id: "run-behind" }, expected: 2 };
    expect(await bench.tenant.submit(behind, second)).toMatchObject({ status: "queued" });
  });

  law("serves higher priorities first and the same priority in order of arrival", async (bench) => {
    const owner = await bench.start();
    for (const [entry_id, priority] of [
      ["a", 0],
      ["b", 5],
      ["c", 0],
      ["d", 5],
      ["e", -1],
    ] as const) {
      await bench.enqueue({ entry_id, priority });
    }
    await owner.become("done");
    const order: (string | undefined)[] = [];
    for (let turn = 0; turn < 5; turn += 1) order.push(await runNext(bench));
    expect(order).toEqual(["b", "d", "a", "c", "e"]);
    expect(await bench.claim()).toEqual([]);
  });

  law("does not serve an entry before its time", async (bench) => {
    const now = (await bench.tenant.createThread({ thread_id: "clock", metadata: {} })).created_at;
    await bench.enqueue({ entry_id: "later", available_at: now + 5_000 });
    expect(await bench.claim()).toEqual([]);
    await bench.enqueue({ entry_id: "now" });
    expect(await runNext(bench)).toBe("now");
    await bench.advance(5_000);
    expect(await runNext(bench)).toBe("later");
  });

  law("stores an entry with a known dedupe key or id once, and returns the first", async (bench) => {
    const first = await bench.tenant.submit(buildEntry({ entry_id: "e1", dedupe_key: "key" }));
    const again = await bench.tenant.submit(buildEntry({ entry_id: "e2", dedupe_key: "key" }));
    expect(again).toEqual({ status: "duplicate", entry: first.entry });
    expect(await bench.tenant.submit(buildEntry({ entry_id: "e1" }))).toMatchObject({ status: "duplicate" });
    const elsewhere = buildEntry({ entry_id: "e3", dedupe_key: "key", thread_id: "thread-2" });
    expect(await bench.tenant.submit(elsewhere)).toMatchObject({ status: "queued" });
    expect((await bench.tenant.listEntries()).total).toBe(2);
  });

  law("remembers a dedupe key after its run is done", async (bench) => {
    await bench.enqueue({ entry_id: "e1", dedupe_key: "key" });
    await runNext(bench);
    const again = await bench.tenant.submit(buildEntry({ entry_id: "e2", dedupe_key: "key" }));
    expect(again).toMatchObject({ status: "duplicate", entry: { entry_id: "e1", status: "accepted" } });
  });

  law("refuses a run id that is taken", async (bench) => {
    const owner = await bench.start();
    const attempt = bench.tenant.submit(buildEntry({ entry_id: "other", run_id: owner.runId }));
    await expectRefusal(attempt, "RUN_EXISTS");
  });

  law("stores one of many entries with the same dedupe key", async (bench) => {
    const other = (await bench.otherHandle()).forTenant("tenant-1");
    const results = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 === 0 ? bench.tenant : other).submit(buildEntry({ entry_id: `e${index}`, dedupe_key: "key" })),
      ),
    );
    expect(results.filter(({ status }) => status === "queued")).toHaveLength(1);
    expect(new Set(results.map(({ entry }) => entry.entry_id)).size).toBe(1);
  });

  law("makes an entry a dead letter after too many lost claims, and serves the next", async (bench) => {
    await bench.enqueue({ entry_id: "poison" });
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const claim = await bench.claimOne();
      expect(claim.entry).toMatchObject({ entry_id: "poison", attempts: attempt - 1 });
      await bench.operator.release(claim, { error: `failure ${attempt}`, retry_after_ms: 0 });
    }
    await bench.enqueue({ entry_id: "healthy" });
    expect(await runNext(bench)).toBe("healthy");
    const { items } = await bench.tenant.listEntries({ status: "dead_letter" });
    expect(items).toMatchObject([
      { entry_id: "poison", attempts: MAX_ATTEMPTS, last_error: `failure ${MAX_ATTEMPTS}` },
    ]);
  });

  law("accepts the entry with the first row of its run", async (bench) => {
    await bench.enqueue({ entry_id: "e1" });
    const owner = await bench.take(await bench.claimOne());
    expect(await entryStatuses(bench)).toEqual({ e1: "claimed" });
    await owner.commit({ runs: [owner.run] });
    expect(await entryStatuses(bench)).toEqual({ e1: "accepted" });
  });

  law("refuses to accept an entry that is over", async (bench) => {
    const owner = await bench.start();
    await bench.enqueue({ entry_id: "dropped" });
    await bench.enqueue({ busy_policy: "interrupt" });
    const attempt = owner.commit({ mailbox_effects: [{ entry_id: "dropped", status: "accepted" }] });
    await expectRefusal(attempt, "ILLEGAL_TRANSITION");
  });

  law("lists entries in order of arrival, by thread and status", async (bench) => {
    for (const [entry_id, thread_id] of [
      ["a", "t1"],
      ["b", "t2"],
      ["c", "t1"],
    ] as const) {
      await bench.enqueue({ entry_id, thread_id });
      await bench.advance(1);
    }
    const ids = async (query: Parameters<typeof bench.tenant.listEntries>[0]) =>
      (await bench.tenant.listEntries(query)).items.map(({ entry_id }) => entry_id);
    expect(await ids({})).toEqual(["a", "b", "c"]);
    expect(await ids({ thread_id: "t1" })).toEqual(["a", "c"]);
    expect(await ids({ status: "accepted" })).toEqual([]);
    expect(await bench.tenant.listEntries({ limit: 2 })).toMatchObject({ total: 3, has_more: true });
  });
}
