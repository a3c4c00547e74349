import type { EntryStatus } from "@reprise/contracts";
import { expect } from "vitest";
import { buildEntry, buildMessage } from "../../build/build-records.ts";
import type { Law } from "../law-suite.ts";
import { entryStatuses, runNext } from "../mailbox-steps.ts";
import { expectRefusal } from "../refusal.ts";

/** Forgetting entries that are over, and whole threads. */
export function retentionLaws(law: Law): void {
  law("forgets entries that ended long ago, and none that are not over", async (bench) => {
    await bench.enqueue({ entry_id: "done", dedupe_key: "key" });
    await runNext(bench);
    await bench.enqueue({ entry_id: "hopeless" });
    await bench.operator.release(await bench.claimOne(), { error: "no", retry_after_ms: 0, is_final: true });
    await bench.advance(10_000);
    await bench.enqueue({ entry_id: "young", thread_id: "thread-2" });
    await runNext(bench);
    await bench.enqueue({ entry_id: "queued" });
    await bench.advance(1_000);
    expect(await bench.operator.prune({ entryAgeMs: 60_000 })).toEqual({
      versions: 0,
      entries: 0,
      threads: 0,
      documents: 0,
      blobs: 0,
    });
    expect(await bench.operator.prune({ entryAgeMs: 5_000 })).toEqual({
      versions: 0,
      entries: 2,
      threads: 0,
      documents: 0,
      blobs: 0,
    });
    const left: Readonly<Record<string, EntryStatus>> = { young: "accepted", queued: "queued" };
    expect(await entryStatuses(bench)).toEqual(left);
    expect(await bench.tenant.listEntries()).toMatchObject({ total: 2 });
    expect((await bench.tenant.listRuns()).total).toBe(2);
    expect(await runNext(bench)).toBe("queued");
  });

  law("takes a dedupe key again whose entry is forgotten, and not before", async (bench) => {
    await bench.enqueue({ entry_id: "e1", dedupe_key: "key" });
    await runNext(bench);
    await bench.advance(10_000);
    const again = buildEntry({ entry_id: "e2", dedupe_key: "key" });
    expect(await bench.tenant.submit(again)).toMatchObject({ status: "duplicate" });
    expect(await bench.operator.prune({ entryAgeMs: 5_000 })).toMatchObject({ entries: 1 });
    expect(await bench.tenant.submit(again)).toMatchObject({ status: "queued", entry: { entry_id: "e2" } });
    await expectRefusal(bench.tenant.submit(buildEntry({ entry_id: "e3", run_id: "run-of-e1" })), "RUN_EXISTS");
  });

  law("forgets threads that nothing changed for long, with everything they have", async (bench) => {
    const old = await bench.start("old", { messages: [buildMessage("m1")] });
    await old.become("done");
    await bench.advance(10_000);
    await (await bench.start("young")).become("done");
    await bench.advance(1_000);
    expect(await bench.operator.prune({ threadAgeMs: 60_000 })).toEqual({
      versions: 0,
      entries: 0,
      threads: 0,
      documents: 0,
      blobs: 0,
    });
    expect(await bench.operator.prune({ threadAgeMs: 5_000 })).toMatchObject({ threads: 1 });
    expect((await bench.tenant.listThreads()).items.map(({ thread_id }) => thread_id)).toEqual(["young"]);
    expect(await bench.tenant.loadRun(old.runId)).toBeUndefined();
    expect((await bench.tenant.listMessages("old")).messages).toEqual([]);
    const anew = await bench.start("old");
    expect(anew.claim.epoch).toBeGreaterThan(old.claim.epoch);
  });

  law("keeps a thread that has an open run or something queued, however old", async (bench) => {
    const waiting = await bench.start("waiting");
    await waiting.suspend("c1");
    await bench.start("running");
    await bench.enqueue({ thread_id: "queued" });
    await (await bench.start("idle")).become("done");
    await bench.advance(10_000);
    expect(await bench.operator.prune({ threadAgeMs: 5_000 })).toMatchObject({ threads: 1 });
    const { items } = await bench.tenant.listThreads();
    expect(items.map(({ thread_id }) => thread_id).toSorted()).toEqual(["queued", "running", "waiting"]);
    expect((await bench.tenant.loadThread("waiting"))?.open_run?.run_id).toBe(waiting.runId);
  });

  law("forgets in every tenant, each by itself", async (bench) => {
    for (const name of ["tenant-1", "tenant-2"]) {
      const tenant = bench.store.forTenant(name);
      await tenant.createThread({ thread_id: "idle", metadata: {} });
      await tenant.submit(buildEntry({ thread_id: `busy-in-${name}` }));
    }
    await bench.advance(10_000);
    expect(await bench.operator.prune({ threadAgeMs: 5_000 })).toMatchObject({ threads: 2 });
    for (const name of ["tenant-1", "tenant-2"]) {
      const { items } = await bench.store.forTenant(name).listThreads();
      expect(items.map(({ thread_id }) => thread_id)).toEqual([`busy-in-${name}`]);
    }
  });

  law("goes through more threads than it reads at once", async (bench) => {
    const ids = Array.from({ length: 230 }, (_, index) => `idle-${index}`);
    await Promise.all(ids.map((thread_id) => bench.tenant.createThread({ thread_id, metadata: {} })));
    await bench.tenant.createThread({ thread_id: "kept", metadata: {} });
    await bench.enqueue({ thread_id: "kept" });
    await bench.advance(10_000);
    expect(await bench.operator.prune({ threadAgeMs: 5_000 })).toMatchObject({ threads: 230 });
    expect((await bench.tenant.listThreads()).items.map(({ thread_id }) => thread_id)).toEqual(["kept"]);
  });
}
