import { existsSync, readFileSync, statSync } from "node:fs";
import type { ErrorCode } from "@reprise/contracts";
import { buildEntry } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { type DiskCall, systemError } from "./file/faulty-disk.ts";
import { lineStarts, logPath } from "./file/logs-on-disk.ts";
import { useFaultyStore } from "./file/use-faulty-store.ts";
import { startRun } from "./support/thread-work.ts";

const FAILURES: readonly (readonly [string, string, DiskCall["call"], ErrorCode])[] = [
  ["a full disk", "ENOSPC", "write", "STORAGE_FULL"],
  ["a used up quota", "EDQUOT", "write", "STORAGE_FULL"],
  ["a disk that is full when it flushes", "ENOSPC", "datasync", "STORAGE_FULL"],
  ["a disk that fails when it flushes", "EIO", "datasync", "STORE_UNAVAILABLE"],
  ["a disk that can only be read", "EROFS", "open", "STORE_UNAVAILABLE"],
];

describe.each(FAILURES)("%s", (_, systemCode, failing, code) => {
  it("leaves nothing of what was refused, and continues when it is over", async () => {
    const { folder, faults, tenant, restart } = await useFaultyStore();
    const { commit } = await startRun(tenant, "t1");
    const before = readFileSync(logPath(folder, "t1"));
    faults.hook = ({ call }) => {
      if (call === failing) throw systemError(systemCode);
    };
    await expect(commit()).rejects.toMatchObject({ code, details: { disk: systemCode } });
    await expect(tenant.updateThread("t1", { a: "b" })).rejects.toMatchObject({ code });
    faults.hook = () => {};
    expect((await tenant.loadThread("t1"))?.thread).toMatchObject({ version: 1, metadata: {} });
    expect((await tenant.readMessages("t1", 0)).messages).toHaveLength(1);
    await tenant.updateThread("t1", { after: "it" });
    const after = readFileSync(logPath(folder, "t1"));
    expect(after.subarray(0, before.length).equals(before)).toBe(true);
    expect(lineStarts(after).length).toBe(lineStarts(before).length + 1);
    const reopened = (await restart()).forTenant("default");
    expect((await reopened.loadThread("t1"))?.thread).toMatchObject({ version: 1, metadata: { after: "it" } });
  });

  it("leaves no file of a thread that could not be made", async () => {
    const { folder, faults, tenant } = await useFaultyStore();
    faults.hook = ({ call }) => {
      if (call === failing) throw systemError(systemCode);
    };
    await expect(tenant.createThread({ thread_id: "t1", metadata: {} })).rejects.toMatchObject({ code });
    expect(await tenant.loadThread("t1")).toBeUndefined();
    expect(existsSync(logPath(folder, "t1"))).toBe(false);
    faults.hook = () => {};
    await tenant.createThread({ thread_id: "t1", metadata: {} });
  });
});

it("does not answer before the name of a new log is durable, nor before that of a deleted one is gone", async () => {
  const { folder, faults, tenant } = await useFaultyStore();
  await tenant.createThread({ thread_id: "old", metadata: {} });
  faults.hook = ({ call }) => {
    if (call === "sync_folder") throw systemError("EIO");
  };
  const make = tenant.createThread({ thread_id: "new", metadata: {} });
  await expect(make).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  expect(existsSync(logPath(folder, "new"))).toBe(false);
  await expect(tenant.deleteThread("old")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
});

it("cuts off half a line before the next one when it could not do so at once", async () => {
  const { folder, faults, tenant, restart } = await useFaultyStore();
  await tenant.createThread({ thread_id: "t1", metadata: {} });
  const { size } = statSync(logPath(folder, "t1"));
  faults.hook = ({ call }) => {
    if (call === "write" || call === "truncate") throw systemError("EIO");
  };
  await expect(tenant.updateThread("t1", { long: "x".repeat(9_000) })).rejects.toMatchObject({
    code: "STORE_UNAVAILABLE",
  });
  expect(statSync(logPath(folder, "t1")).size).toBeGreaterThan(size);
  faults.hook = () => {};
  await tenant.updateThread("t1", { short: "y" });
  expect(lineStarts(readFileSync(logPath(folder, "t1")))).toHaveLength(4);
  const reopened = (await restart()).forTenant("default");
  expect((await reopened.loadThread("t1"))?.thread.metadata).toEqual({ short: "y" });
});

it("makes a thread after half of its file was left behind", async () => {
  const { faults, tenant } = await useFaultyStore();
  faults.hook = ({ call }) => {
    if (call === "write" || call === "unlink") throw systemError("EIO");
  };
  const make = () => tenant.createThread({ thread_id: "t1", metadata: {} });
  await expect(make()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  await expect(make()).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  faults.hook = () => {};
  expect(await make()).toMatchObject({ version: 0 });
});

it("keeps a thread that could not be deleted", async () => {
  const { faults, tenant, restart } = await useFaultyStore();
  const { run, commit } = await startRun(tenant, "t1");
  await commit({ runs: [{ ...run, status: "done" }] });
  for (const failing of ["write", "datasync", "rename"]) {
    faults.hook = ({ call }) => {
      if (call === failing) throw systemError("ENOSPC");
    };
    await expect(tenant.deleteThread("t1")).rejects.toMatchObject({ code: "STORAGE_FULL" });
  }
  faults.hook = () => {};
  expect((await tenant.readMessages("t1", 0)).messages).toHaveLength(2);
  const reopened = (await restart()).forTenant("default");
  expect((await reopened.readChangesets("t1", 0)).map(({ version }) => version)).toEqual([1, 2]);
});

it("refuses everything that followed from what could not be stored, also refusals", async () => {
  const { faults, tenant } = await useFaultyStore();
  await tenant.createThread({ thread_id: "t1", metadata: {} });
  faults.hook = ({ call }) => {
    if (call === "datasync") throw systemError("EIO");
  };
  const entry = buildEntry({ thread_id: "t1", dedupe_key: "once" });
  const both = [tenant.submit(entry), tenant.submit({ ...entry, entry_id: "other", run_id: "other" })];
  for (const result of await Promise.allSettled(both)) {
    expect(result).toMatchObject({ status: "rejected", reason: { code: "STORE_UNAVAILABLE" } });
  }
  faults.hook = () => {};
  expect(await tenant.submit(entry)).toMatchObject({ status: "queued" });
});
