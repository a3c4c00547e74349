import { existsSync, readFileSync } from "node:fs";
import type { TenantStore } from "@reprise/contracts";
import { buildChangeset, buildEntry, buildMessage } from "@reprise/testkit";
import { expect, it } from "vitest";
import type { DiskCall } from "./file/faulty-disk.ts";
import { lineStarts, logPath } from "./file/logs-on-disk.ts";
import { useTemporaryFileStore } from "./file/temporary-file-store.ts";
import { useFaultyStore } from "./file/use-faulty-store.ts";
import { startRun } from "./support/thread-work.ts";

it("acknowledges commits of twenty threads at once, each as if it were alone, each in its own log", async () => {
  const { store, folder, restart } = await useTemporaryFileStore();
  const tenant = store.forTenant("default");
  const runs = await Promise.all(Array.from({ length: 20 }, (_, index) => startRun(tenant, `thread-${index}`)));
  await Promise.all(
    runs.map(async ({ commit }) => {
      for (let turn = 0; turn < 5; turn += 1) await commit();
    }),
  );
  const expectAll = async (reader: TenantStore): Promise<void> => {
    for (const { run } of runs) {
      expect((await reader.loadThread(run.thread_id))?.thread.version).toBe(6);
      expect((await reader.readEvents(run.run_id, 0)).flatMap(({ events }) => events)).toHaveLength(10);
      expect(linesOf(folder, run.thread_id)).toBe(7);
    }
  };
  await expectAll(tenant);
  await expectAll((await restart()).forTenant("default"));
});

function linesOf(folder: string, threadId: string): number {
  return lineStarts(readFileSync(logPath(folder, threadId))).length - 1;
}

/** A store in which the flushes of one thread wait until the test lets them go. */
async function useHangingStore(threadId: string) {
  const opened = await useFaultyStore();
  const { folder, faults, tenant } = opened;
  await tenant.createThread({ thread_id: threadId, metadata: {} });
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { promise: hangs, resolve: isHanging } = Promise.withResolvers<void>();
  faults.hook = async ({ call, path }: DiskCall) => {
    if (call !== "datasync" || path !== logPath(folder, threadId)) return;
    isHanging();
    await released;
  };
  return { ...opened, hangs, release };
}

it("does not let a thread whose disk hangs hold up others", async () => {
  const { tenant, hangs, release } = await useHangingStore("slow");
  const slow = tenant.updateThread("slow", { done: "late" });
  await hangs;
  const { commit } = await startRun(tenant, "quick");
  for (let turn = 0; turn < 5; turn += 1) await commit();
  expect((await tenant.loadThread("quick"))?.thread.version).toBe(6);
  release();
  expect((await slow).metadata).toEqual({ done: "late" });
});

it("shows no reader what is not durable yet", async () => {
  const { tenant, store, hangs, release } = await useHangingStore("slow");
  const submitted = tenant.submit(buildEntry({ thread_id: "slow", entry_id: "e1" }));
  await hangs;
  expect((await tenant.listEntries()).total).toBe(0);
  expect(await store.operator.claim({ owner: "o", lease_ms: 1, limit: 1 })).toEqual([]);
  release();
  await submitted;
  expect((await tenant.listEntries()).total).toBe(1);
});

it("writes what came while it was flushing in one go, in order", async () => {
  const { folder, faults, tenant, hangs, release } = await useHangingStore("slow");
  const first = tenant.submit(buildEntry({ thread_id: "slow", entry_id: "e0" }));
  await hangs;
  const others = Array.from({ length: 50 }, (_, index) =>
    tenant.submit(buildEntry({ thread_id: "slow", entry_id: `e${index + 1}` })),
  );
  const flushes = (): number =>
    faults.calls.filter(({ call, path }) => call === "datasync" && path === logPath(folder, "slow")).length;
  const before = flushes();
  release();
  await Promise.all([first, ...others]);
  expect(flushes()).toBe(before + 1);
  const { items } = await tenant.listEntries({ limit: 200 });
  expect(items.map(({ entry_id }) => entry_id)).toEqual(Array.from({ length: 51 }, (_, index) => `e${index}`));
  expect(linesOf(folder, "slow")).toBe(53);
});

it("gives an id that two threads want at the same time to one of them", async () => {
  const { tenant, hangs, release } = await useHangingStore("slow");
  const entry = buildEntry({ thread_id: "slow", entry_id: "e1", run_id: "same" });
  const first = tenant.submit(entry);
  await hangs;
  const second = tenant.submit({ ...entry, thread_id: "other", entry_id: "e2" });
  const third = tenant.submit({ ...entry, thread_id: "third", run_id: "another" });
  release();
  expect(await first).toMatchObject({ status: "queued" });
  await expect(second).rejects.toMatchObject({ code: "RUN_EXISTS" });
  await expect(third).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  expect(await tenant.loadThread("other")).toBeUndefined();
});

it("reads while it writes, and gives every reader a whole thread", async () => {
  const { store } = await useTemporaryFileStore();
  const tenant = store.forTenant("default");
  const { commit } = await startRun(tenant, "t1");
  let isWriting = true;
  const write = async (): Promise<void> => {
    for (let turn = 0; turn < 100; turn += 1) await commit({ events: [], messages: [buildMessage(`m${turn}`)] });
    isWriting = false;
  };
  const read = async (): Promise<void> => {
    // Of two reads that overlap, the one that began first may end last: only one reader's own reads are in order.
    let seen = 0;
    while (isWriting) {
      const { messages } = await tenant.readMessages("t1", 0);
      expect(messages.length).toBeGreaterThanOrEqual(seen);
      seen = messages.length;
    }
  };
  await Promise.all([write(), read(), read()]);
  expect((await tenant.readMessages("t1", 0)).messages).toHaveLength(101);
});

it("forgets a deleted thread's file while it is being read, without taking that for damage", async () => {
  const { store, folder } = await useTemporaryFileStore();
  const tenant = store.forTenant("default");
  for (let round = 0; round < 10; round += 1) {
    await tenant.createThread({ thread_id: "t1", metadata: {} });
    const message = buildMessage("m", { content: "x".repeat(100_000) });
    const changeset = { changeset_id: "c", thread_id: "t1", messages: [message] };
    await tenant.commit(buildChangeset(changeset), { expected: 0, epoch: null });
    const [read] = await Promise.all([tenant.readMessages("t1", 0), tenant.deleteThread("t1")]);
    expect([0, 1]).toContain(read.messages.length);
  }
  expect(existsSync(logPath(folder, "t1"))).toBe(false);
});
