import { statSync } from "node:fs";
import { buildMessage, buildPatch } from "@reprise/testkit";
import { expect, it } from "vitest";
import { openFolder } from "../src/file/folder/open-folder.ts";
import { rewriteLog } from "../src/file/log/rewrite-log.ts";
import { isOnDisk, logPath } from "./file/logs-on-disk.ts";
import { useTemporaryFileStore } from "./file/temporary-file-store.ts";
import { startRun } from "./support/thread-work.ts";

it("writes a log anew that mostly changes what came before, and loses nothing", async () => {
  const { store, folder, restart } = await useTemporaryFileStore();
  const tenant = store.forTenant("default");
  const { claim, commit } = await startRun(tenant, "t1");
  const changeset = await commit();
  let largest = 0;
  // A long metadata makes a long line, so that few are needed.
  for (let turn = 0; turn < 99; turn += 1) {
    await tenant.updateThread("t1", { note: `${turn} `.repeat(5_000) });
    largest = Math.max(largest, statSync(logPath(folder, "t1")).size);
  }
  await store.operator.renew([claim], 60_000);
  expect(largest).toBeGreaterThan(1_000_000);
  expect(statSync(logPath(folder, "t1")).size).toBeLessThan(largest);
  const later = (await restart()).forTenant("default");
  expect((await later.loadThread("t1"))?.thread.metadata).toEqual({ note: "98 ".repeat(5_000) });
  expect((await later.readChangesets("t1", 1))[0]).toMatchObject({ ...changeset, version: 2 });
});

it("can be read while it is written anew", async () => {
  const { store, folder } = await useTemporaryFileStore();
  const tenant = store.forTenant("default");
  const { commit } = await startRun(tenant, "t1");
  for (let turn = 0; turn < 30; turn += 1) await commit({ events: [], messages: [buildMessage(`m${turn}`)] });
  const { folder: opened, release } = await openFolder(folder);
  const [thread = expect.fail()] = opened.tables.threads;
  let isWriting = true;
  const rewrite = async (): Promise<void> => {
    for (let turn = 0; turn < 40; turn += 1) await rewriteLog(thread, opened.logOf(thread));
    isWriting = false;
  };
  let reads = 0;
  const read = async (): Promise<void> => {
    while (isWriting) {
      expect((await tenant.readMessages("t1", 0)).messages).toHaveLength(31);
      expect(await tenant.readChangesets("t1", 10, 5)).toHaveLength(5);
      reads += 1;
    }
  };
  await Promise.all([rewrite(), read(), read(), read()]);
  expect(reads).toBeGreaterThan(5);
  release();
});

it("has nothing left on the disk of what is pruned or deleted", async () => {
  const { store, folder, advance } = await useTemporaryFileStore();
  const tenant = store.forTenant("default");
  const first = await startRun(tenant, "t1");
  await first.commit({ patches: [buildPatch("p1", "key", "secret patch")], messages: [buildMessage("kept")] });
  const patches = [buildPatch("p2", "key", "another patch")];
  await first.commit({ patches, runs: [{ ...first.run, status: "done" }] });
  const second = await startRun(tenant, "t1", 2);
  await second.commit({ runs: [{ ...second.run, base_version: 3, status: "done" }] });
  await advance(1_000);
  expect(isOnDisk(folder, "secret patch")).toBe(true);
  const pruned = await store.operator.prune({ historyVersions: 1 });
  expect(pruned.versions).toBe(3);
  expect(isOnDisk(folder, "secret patch")).toBe(false);
  expect((await tenant.readMessages("t1", 0)).messages.map(({ id }) => id)).toContain("kept");
  await expect(tenant.readPatches("t1", 0)).rejects.toMatchObject({ code: "VERSION_GONE" });
  expect(isOnDisk(folder, "text of kept")).toBe(true);
  await tenant.deleteThread("t1");
  expect(isOnDisk(folder, "text of kept")).toBe(false);
});
