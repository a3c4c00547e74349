import { copyFileSync, cpSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { buildMessage } from "@reprise/testkit";
import { describe, expect, it, onTestFinished } from "vitest";
import { NODE_DISK, OPEN_TO } from "../src/file/disk/disk.ts";
import { openFolder } from "../src/file/folder/open-folder.ts";
import { loadLog } from "../src/file/log/load-log.ts";
import { openFileStore } from "../src/file/open-file-store.ts";
import { dumpTables } from "./file/dump-tables.ts";
import { lineStarts, logPath } from "./file/logs-on-disk.ts";
import { makePlace, useTemporaryFileStore } from "./file/temporary-file-store.ts";
import { startRun } from "./support/thread-work.ts";

/** A store whose thread has a log with some lines, closed, and copies of it. */
async function closeWithLog() {
  const { store, folder } = await useTemporaryFileStore();
  const tenant = store.forTenant("default");
  const { commit } = await startRun(tenant, "torn");
  await commit();
  await commit({ messages: [buildMessage("last", { content: "ünï 🦊" })] });
  await startRun(tenant, "whole");
  await tenant.updateThread("torn", { note: "ünï 🦊" });
  await store.close();
  const bytes = readFileSync(logPath(folder, "torn"));
  const starts = lineStarts(bytes);
  const copy = (): string => {
    const place = makePlace();
    onTestFinished(place.remove);
    cpSync(folder, place.folder, { recursive: true });
    return place.folder;
  };
  return { bytes, starts, lastLine: starts.at(-2) ?? 0, copy };
}

async function dumpOf(folder: string): Promise<unknown> {
  const { folder: opened, release } = await openFolder(folder);
  const dump = dumpTables(opened.tables);
  release();
  return dump;
}

it("cuts off a last line that stops anywhere, and is as it was before that line", async () => {
  const { bytes, lastLine, copy } = await closeWithLog();
  const folder = copy();
  const path = logPath(folder, "torn");
  truncateSync(path, lastLine);
  const before = await dumpOf(folder);
  for (let length = lastLine + 1; length < bytes.length; length += 1) {
    writeFileSync(path, bytes.subarray(0, length));
    expect([length, await dumpOf(folder)]).toEqual([length, before]);
    expect(statSync(path).size).toBe(lastLine);
  }
});

it("finds where a log ends, however much of a changeset was written", async () => {
  const { bytes, starts, copy } = await closeWithLog();
  const path = logPath(copy(), "torn");
  const [commit = 0, next = 0] = starts.slice(-3);
  for (let length = commit + 1; length < next; length += 1) {
    truncateSync(path, 0);
    writeFileSync(path, bytes.subarray(0, length));
    const file = await NODE_DISK.open(path, OPEN_TO.read);
    const loaded = await loadLog(file);
    await file.close();
    expect([length, loaded.end, loaded.damagedAt, loaded.lines.length]).toEqual([
      length,
      commit,
      undefined,
      starts.length - 4,
    ]);
  }
});

it("continues after a torn line, and has what came before and after it", async () => {
  const { bytes, copy } = await closeWithLog();
  const folder = copy();
  truncateSync(logPath(folder, "torn"), bytes.length - 5);
  for (const key of ["first", "second"]) {
    const store = await openFileStore({ folder });
    const tenant = store.forTenant("default");
    expect((await tenant.readMessages("torn", 0)).messages).toHaveLength(3);
    await tenant.updateThread("torn", { [key]: "written" });
    await store.close();
  }
  const store = await openFileStore({ folder });
  const head = await store.forTenant("default").loadThread("torn");
  expect(head?.thread).toMatchObject({ version: 3, metadata: { first: "written", second: "written" } });
  expect(head?.thread.metadata).not.toHaveProperty("note");
  await store.close();
});

describe("a write of which the system stored some blocks and not others", () => {
  it("is cut off where the first missing block is", async () => {
    const { bytes, lastLine, copy } = await closeWithLog();
    const folder = copy();
    const path = logPath(folder, "torn");
    truncateSync(path, lastLine);
    const before = await dumpOf(folder);
    const torn = Buffer.from(bytes);
    torn.fill(0, lastLine + 100, bytes.length - 50);
    writeFileSync(path, torn);
    expect(await dumpOf(folder)).toEqual(before);
    expect(statSync(path).size).toBe(lastLine);
  });

  it("is damage when it is known to have been whole once", async () => {
    const { bytes, starts, copy } = await closeWithLog();
    const folder = copy();
    const hole = Buffer.from(bytes);
    hole.fill(0, (starts[1] ?? 0) + 20, (starts[1] ?? 0) + 60);
    writeFileSync(logPath(folder, "torn"), hole);
    const store = await openFileStore({ folder });
    const tenant = store.forTenant("default");
    await expect(tenant.readMessages("torn", 0)).rejects.toMatchObject({ code: "CORRUPT_DATA" });
    expect((await tenant.readMessages("whole", 0)).messages).toHaveLength(1);
    await store.close();
  });
});

it("takes a log of which nothing was ever acknowledged for none", async () => {
  const { bytes, starts, copy } = await closeWithLog();
  for (const length of [0, 1, 40, (starts[1] ?? 0) - 1, (starts[1] ?? 0) + 1]) {
    const folder = copy();
    writeFileSync(logPath(folder, "torn"), bytes.subarray(0, length));
    const store = await openFileStore({ folder });
    const tenant = store.forTenant("default");
    expect(await tenant.loadThread("torn")).toBeUndefined();
    await tenant.createThread({ thread_id: "torn", metadata: { made: "anew" } });
    await store.close();
    const reopened = await openFileStore({ folder });
    expect((await reopened.forTenant("default").loadThread("torn"))?.thread.metadata).toEqual({ made: "anew" });
    await reopened.close();
  }
});

it("takes away what was being written elsewhere when the process ended", async () => {
  const { copy } = await closeWithLog();
  const folder = copy();
  copyFileSync(logPath(folder, "torn"), `${folder}/temporary/half-written`);
  await (await openFileStore({ folder })).close();
  expect(() => statSync(`${folder}/temporary/half-written`)).toThrow("ENOENT");
});
