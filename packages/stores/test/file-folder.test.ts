import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TenantStore } from "@reprise/contracts";
import { buildEntry, buildMessage } from "@reprise/testkit";
import { describe, expect, it } from "vitest";
import { encodeLine } from "../src/file/log/log-line.ts";
import { file, openFileStore } from "../src/file/open-file-store.ts";
import { lineStarts, logPath } from "./file/logs-on-disk.ts";
import { usePlace, useTemporaryFileStore } from "./file/temporary-file-store.ts";
import { startRun } from "./support/thread-work.ts";

it("has everything again after it was closed and opened", async () => {
  const { store, restart } = await useTemporaryFileStore();
  const { run, commit } = await startRun(store.forTenant("default"), "thread-1");
  const changeset = await commit();
  const tenant = (await restart()).forTenant("default");
  const [, stored] = await tenant.readChangesets("thread-1", 0);
  expect(stored).toMatchObject({ ...changeset, version: 2 });
  expect(await tenant.loadRun(run.run_id)).toEqual(run);
});

it("continues counting where it was, so that lists stay in order", async () => {
  const { store, restart } = await useTemporaryFileStore();
  const add = async (tenant: TenantStore, name: string): Promise<void> => {
    await tenant.createThread({ thread_id: name, metadata: {} });
    await tenant.submit(buildEntry({ thread_id: name, entry_id: `entry-${name}` }));
  };
  await add(store.forTenant("default"), "b");
  await add(store.forTenant("default"), "c");
  const tenant = (await restart()).forTenant("default");
  await add(tenant, "a");
  expect((await tenant.listThreads()).items.map(({ thread_id }) => thread_id)).toEqual(["a", "c", "b"]);
  const entries = (await tenant.listEntries()).items;
  expect(entries.map(({ entry_id }) => entry_id)).toEqual(["entry-b", "entry-c", "entry-a"]);
});

it("says how it survives", async () => {
  const store = await file(usePlace());
  expect(store.durability).toBe("power-loss");
  await store.close();
});

it("is opened once, however many handles of a process open it at the same time", async () => {
  const folder = usePlace();
  const stores = await Promise.all(Array.from({ length: 4 }, () => openFileStore({ folder })));
  await Promise.all(
    stores.map((store, index) => store.forTenant("t").createThread({ thread_id: `t${index}`, metadata: {} })),
  );
  expect(await stores[0]?.forTenant("t").listThreads()).toMatchObject({ total: 4 });
  await Promise.all(stores.map((store) => store.close()));
});

it("continues with the epochs of a thread that was deleted, also in another process", async () => {
  const { store, restart } = await useTemporaryFileStore();
  const { run, claim, commit } = await startRun(store.forTenant("default"), "t1");
  await commit({ runs: [{ ...run, status: "done" }] });
  await store.forTenant("default").deleteThread("t1");
  const tenant = (await restart()).forTenant("default");
  expect(await tenant.loadThread("t1")).toBeUndefined();
  const again = await startRun(tenant, "t1", 2);
  expect(again.claim.epoch).toBe(claim.epoch + 1);
  const later = (await restart()).forTenant("default");
  expect((await later.readMessages("t1", 0)).messages.map(({ id }) => id)).toEqual(["t1-run-2-m0"]);
});

describe("a folder that is no store of ours", () => {
  it("is refused when there is something else in it, and left as it is", async () => {
    const folder = usePlace();
    mkdirSync(folder);
    writeFileSync(join(folder, "letter.txt"), "dear");
    await expect(openFileStore({ folder })).rejects.toMatchObject({ code: "INVALID_REQUEST" });
    expect(readdirSync(folder)).toEqual(["letter.txt"]);
  });

  it("is refused when its parent is not there, or when it is a file", async () => {
    const folder = usePlace();
    await expect(openFileStore({ folder: join(folder, "deeper") })).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
    writeFileSync(folder, "");
    await expect(openFileStore({ folder })).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });

  it("is refused when a newer version made it, and left as it is", async () => {
    const folder = usePlace();
    await (await openFileStore({ folder })).close();
    writeFileSync(join(folder, "store.json"), JSON.stringify({ program: "reprise", format: 2 }));
    await expect(openFileStore({ folder })).rejects.toMatchObject({
      code: "FORMAT_TOO_NEW",
      details: { format: 2, supported: 1 },
    });
  });

  it("is refused when its marker cannot be read", async () => {
    const folder = usePlace();
    await (await openFileStore({ folder })).close();
    for (const text of ["", "{", "[]", '{"program":"other","format":1}', '{"program":"reprise"}']) {
      writeFileSync(join(folder, "store.json"), text);
      await expect(openFileStore({ folder })).rejects.toMatchObject({ code: "CORRUPT_DATA" });
    }
  });
});

it("refuses a line of a newer version at opening, and leaves the log as it is", async () => {
  const { store, folder } = await useTemporaryFileStore();
  await store.forTenant("default").createThread({ thread_id: "t1", metadata: {} });
  await store.close();
  const path = logPath(folder, "t1");
  const newer = encodeLine("[]", undefined, 0, 2);
  writeFileSync(path, newer, { flag: "a" });
  const before = readFileSync(path);
  await expect(openFileStore({ folder })).rejects.toMatchObject({ code: "FORMAT_TOO_NEW", details: { format: 2 } });
  // The lock is free again, and nothing was cut off.
  await expect(openFileStore({ folder })).rejects.toMatchObject({ code: "FORMAT_TOO_NEW" });
  expect(readFileSync(path).equals(before)).toBe(true);
});

it("keeps what people said from others on the machine", async () => {
  const { store, folder } = await useTemporaryFileStore();
  await store.forTenant("default").createThread({ thread_id: "t1", metadata: {} });
  const { ref } = await store.blobs.put("default", new Uint8Array([1]));
  expect(ref).toMatch(/^blob:/);
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => !path.startsWith("lock"));
  for (const path of [...paths, "."]) expect([path, statSync(join(folder, path)).mode & 0o077]).toEqual([path, 0]);
});

it("follows no link in the place of a log", async () => {
  const folder = usePlace();
  const outside = `${folder}-outside`;
  const store = await openFileStore({ folder });
  const tenant = store.forTenant("default");
  writeFileSync(outside, "not ours");
  symlinkSync(outside, logPath(folder, "new"));
  const make = tenant.createThread({ thread_id: "new", metadata: {} });
  await expect(make).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  await store.close();
  const reopened = (await openFileStore({ folder })) ?? expect.fail();
  const later = reopened.forTenant("default");
  await expect(later.createThread({ thread_id: "new", metadata: {} })).rejects.toMatchObject({ code: "THREAD_EXISTS" });
  await expect(later.updateThread("new", { a: "b" })).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  expect(readFileSync(outside, "utf8")).toBe("not ours");
  await later.deleteThread("new");
  await later.createThread({ thread_id: "new", metadata: {} });
  expect(readFileSync(outside, "utf8")).toBe("not ours");
  await reopened.close();
});

it("takes nothing from a log that bears the name of another thread", async () => {
  const { store, folder, restart } = await useTemporaryFileStore();
  const { run } = await startRun(store.forTenant("default"), "t1");
  copyFileSync(logPath(folder, "t1"), logPath(folder, "copy"));
  const tenant = (await restart()).forTenant("default");
  expect((await tenant.listThreads()).items.map(({ thread_id }) => thread_id)).toEqual(["t1"]);
  expect(await tenant.loadThread("copy")).toMatchObject({ thread: { thread_id: "copy", version: 0 } });
  const submit = tenant.submit(buildEntry({ thread_id: "copy" }));
  await expect(submit).rejects.toMatchObject({ code: "CORRUPT_DATA" });
  await tenant.deleteThread("copy");
  expect(await tenant.loadRun(run.run_id)).toEqual(run);
  expect((await tenant.readMessages("t1", 0)).messages).toHaveLength(1);
});

it("does what was asked before it was closed, and refuses what comes after", async () => {
  const { store, reopen } = await useTemporaryFileStore();
  const tenant = store.forTenant("t");
  const made = tenant.createThread({ thread_id: "in time", metadata: {} });
  const closing = store.close();
  expect(await made).toMatchObject({ thread_id: "in time" });
  const late = tenant.createThread({ thread_id: "late", metadata: {} });
  await expect(late).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  await closing;
  await store.close();
  await expect(tenant.loadThread("in time")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  await expect(store.blobs.put("t", new Uint8Array())).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  expect((await (await reopen()).forTenant("t").listThreads()).total).toBe(1);
});

it("takes times that are not whole, and refuses what is no data", async () => {
  const { store, clock } = await useTemporaryFileStore();
  const tenant = store.forTenant("default");
  const { run, commit } = await startRun(tenant, "thread-1");
  const odd = { ...run, created_at: clock.now() + 0.25, updated_at: 0.5 };
  await commit({ runs: [odd] });
  expect(await tenant.loadRun(run.run_id)).toEqual(odd);
  const metadata = { broken: (() => {}) as never };
  await expect(tenant.updateThread("thread-1", metadata)).rejects.toMatchObject({ code: "INVALID_REQUEST" });
  expect((await tenant.loadThread("thread-1"))?.thread.metadata).toEqual({});
});

it("is not changed by what callers do to what they gave or got", async () => {
  const { store } = await useTemporaryFileStore();
  const tenant = store.forTenant("default");
  const metadata = { list: ["one"] };
  await tenant.createThread({ thread_id: "t1", metadata });
  metadata.list.push("two");
  const got = (await tenant.loadThread("t1"))?.thread.metadata as typeof metadata;
  expect(() => got.list.push("three")).toThrow(TypeError);
  expect((await tenant.loadThread("t1"))?.thread.metadata).toEqual({ list: ["one"] });
});

it("is lines of JSON that anybody can read", async () => {
  const { store, folder } = await useTemporaryFileStore();
  const { commit } = await startRun(store.forTenant("default"), "t1");
  await commit({ messages: [buildMessage("m", { content: "two\nlines, a tab\t and \u2028" })] });
  const bytes = readFileSync(logPath(folder, "t1"));
  const lines = bytes
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line));
  expect(lines).toHaveLength(lineStarts(bytes).length - 1);
  expect(JSON.stringify(lines.at(-1))).toContain("two\\nlines");
});
