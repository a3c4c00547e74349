import { cpSync, existsSync, readFileSync } from "node:fs";
import type { TenantStore } from "@reprise/contracts";
import { buildCall, buildDecision, buildEntry, buildMessage, buildPatch } from "@reprise/testkit";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { openFileStore } from "../src/file/open-file-store.ts";
import { flipByte, flipText, lineStarts, logPath } from "./file/logs-on-disk.ts";
import { makePlace, useTemporaryFileStore } from "./file/temporary-file-store.ts";
import { startRun } from "./support/thread-work.ts";

/** A store with two threads that have one of everything. */
async function openFilled() {
  const opened = await useTemporaryFileStore();
  const tenant = opened.store.forTenant("default");
  for (const threadId of ["hurt", "fine"]) {
    const { run, commit } = await startRun(tenant, threadId);
    const place = { run_id: run.run_id, thread_id: threadId };
    await commit({
      messages: [buildMessage("second", { content: "second message" })],
      calls: [buildCall({ ...place, call_id: "c1", status: "suspended", suspension: 1 })],
      patches: [buildPatch("p1", "n", "patched value")],
      runs: [{ ...run, status: "waiting" }],
    });
    await tenant.decide(buildDecision({ run_id: run.run_id, call_id: "c1" }));
    await tenant.saveSnapshot(threadId, { version: 1, state: { n: "snapshot value" } });
  }
  return { ...opened, tenant, hurt: logPath(opened.folder, "hurt") };
}

async function expectClosed(tenant: TenantStore): Promise<void> {
  const submit = (thread_id: string) => tenant.submit(buildEntry({ thread_id, entry_id: `${thread_id}-x` }));
  await expect(submit("hurt")).rejects.toMatchObject({ code: "CORRUPT_DATA" });
  expect(await submit("fine")).toMatchObject({ status: "queued" });
}

const READS: readonly (readonly [string, string, (tenant: TenantStore, threadId: string) => Promise<unknown>])[] = [
  ["message", "second message", (tenant, id) => tenant.readMessages(id, 0)],
  ["patch", "patched value", (tenant, id) => tenant.readPatches(id, 0)],
  ["snapshot", "snapshot value", (tenant, id) => tenant.loadSnapshot(id)],
];

describe("a text that changed on the disk", () => {
  it.each(READS)(
    "is found when a %s is read, closes its thread for writing, and leaves others alone",
    async (_, text, read) => {
      const { tenant, hurt, store } = await openFilled();
      flipText(hurt, text);
      await expect(read(tenant, "hurt")).rejects.toMatchObject({ code: "CORRUPT_DATA" });
      await read(tenant, "fine");
      await expectClosed(tenant);
      const claims = await store.operator.claim({ owner: "o", lease_ms: 1, limit: 10 });
      expect(claims.map(({ thread_id }) => thread_id)).toEqual(["fine"]);
      expect((await tenant.loadThread("hurt"))?.thread.version).toBe(2);
    },
  );

  it.each(READS)(
    "is found at the next opening in a %s; the rows and the other texts are there",
    async (what, text, read) => {
      const { hurt, restart } = await openFilled();
      flipText(hurt, text);
      const store = await restart();
      const tenant = store.forTenant("default");
      await expectClosed(tenant);
      await expect(read(tenant, "hurt")).rejects.toMatchObject({ code: "CORRUPT_DATA" });
      await read(tenant, "fine");
      expect((await tenant.loadThread("hurt"))?.thread.version).toBe(2);
      expect(await tenant.loadCall("hurt-run-1", "c1")).toMatchObject({ status: "suspended" });
      expect(await tenant.loadDecision("hurt-run-1", "c1", 1)).toBeDefined();
      expect(await tenant.readChangesets("hurt", 0, 1)).toMatchObject([{ messages: [{ id: "hurt-run-1-m0" }] }]);
      if (what !== "snapshot") expect(await tenant.loadSnapshot("hurt")).toMatchObject({ version: 1 });
      const claims = await store.operator.claim({ owner: "o", lease_ms: 60_000, limit: 10 });
      expect(claims.map(({ thread_id }) => thread_id)).toEqual(["fine"]);
    },
  );
});

it("has what is left around a line that cannot be read at all", async () => {
  const { hurt, restart } = await openFilled();
  const starts = lineStarts(readFileSync(hurt));
  flipByte(hurt, (starts[2] ?? 0) + 100);
  const tenant = (await restart()).forTenant("default");
  await expectClosed(tenant);
  await expect(tenant.readChangesets("hurt", 0)).rejects.toMatchObject({ code: "CORRUPT_DATA" });
  await expect(tenant.readMessages("hurt", 0)).rejects.toMatchObject({ code: "CORRUPT_DATA" });
  expect(await tenant.readChangesets("hurt", 0, 1)).toMatchObject([{ version: 1 }]);
  expect(await tenant.loadSnapshot("hurt")).toMatchObject({ version: 1 });
  expect(await tenant.loadRun("hurt-run-1")).toMatchObject({ status: "running" });
});

it("does not keep the thread from being deleted and made anew", async () => {
  const { hurt, restart, advance } = await openFilled();
  flipByte(hurt, 300);
  const tenant = (await restart()).forTenant("default");
  await advance(120_000);
  await tenant.deleteThread("hurt");
  expect(await tenant.loadThread("hurt")).toBeUndefined();
  await tenant.createThread({ thread_id: "hurt", metadata: {} });
  expect((await (await restart()).forTenant("default").loadThread("hurt"))?.thread.version).toBe(0);
});

it("notices every single byte that is changed, and never lets it hurt another thread", async () => {
  const { folder, hurt, store } = await openFilled();
  await store.close();
  const bytes = readFileSync(hurt);
  const { folder: copy, remove } = makePlace();
  onTestFinished(remove);
  // The first bytes of each line are where most can go wrong.
  const heads = lineStarts(bytes).flatMap((start) => Array.from({ length: 48 }, (_, index) => start + index));
  const last = bytes.length - 2;
  const offset = fc.oneof(fc.constantFrom(...heads.filter((at) => at <= last)), fc.nat(last));
  await fc.assert(
    fc.asyncProperty(offset, fc.constantFrom(1, 2, 4, 8, 16, 32, 64, 128), async (at, mask) => {
      cpSync(folder, copy, { recursive: true, force: true });
      flipByte(logPath(copy, "hurt"), at, mask);
      const opened = await openFileStore({ folder: copy });
      try {
        const tenant = opened.forTenant("default");
        expect((await tenant.loadThread("hurt"))?.thread.thread_id).toBe("hurt");
        await expectClosed(tenant);
      } finally {
        await opened.close();
      }
    }),
    { numRuns: 300 },
  );
});

it("mends the one byte that ends the last line", async () => {
  const { hurt, restart } = await openFilled();
  const bytes = readFileSync(hurt);
  flipByte(hurt, bytes.length - 1);
  const tenant = (await restart()).forTenant("default");
  expect(readFileSync(hurt).equals(bytes)).toBe(true);
  expect(await tenant.loadSnapshot("hurt")).toMatchObject({ version: 1 });
  await tenant.submit(buildEntry({ thread_id: "hurt", entry_id: "next" }));
});

it("does not lose a thread whose log no longer says whose it is", async () => {
  const { hurt, restart } = await openFilled();
  flipText(hurt, '"tenant"');
  const tenant = (await restart()).forTenant("default");
  const attempt = tenant.createThread({ thread_id: "hurt", metadata: {} });
  await expect(attempt).rejects.toMatchObject({ code: "THREAD_EXISTS" });
  await expectClosed(tenant);
  expect((await tenant.readMessages("hurt", 0)).messages).toHaveLength(2);
  expect(existsSync(hurt)).toBe(true);
});
