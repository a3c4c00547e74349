import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ErrorCode } from "@reprise/contracts";
import { describe, expect, it } from "vitest";
import { documentPath, putDocument } from "./file/documents-on-disk.ts";
import { type DiskCall, systemError } from "./file/faulty-disk.ts";
import { useTemporaryFileStore } from "./file/temporary-file-store.ts";
import { useFaultyStore } from "./file/use-faulty-store.ts";

describe("after the folder was closed and opened", () => {
  it("has its documents, by id", async () => {
    const { store, restart } = await useTemporaryFileStore();
    for (const id of ["c", "a", "b"]) await putDocument(store.forTenant("default"), `body of ${id}`, id);
    const before = await store.forTenant("default").listDocuments({ kind: "k" });
    expect(await (await restart()).forTenant("default").listDocuments({ kind: "k" })).toEqual(before);
    expect(before.items.map(({ id }) => id)).toEqual(["a", "b", "c"]);
  });

  it("continues with its revisions, also after the last document was deleted", async () => {
    const { store, restart } = await useTemporaryFileStore();
    let tenant = store.forTenant("default");
    const seen: number[] = [];
    for (let life = 0; life < 3; life += 1) {
      seen.push(await putDocument(tenant, "first"), await putDocument(tenant, "second"));
      await tenant.deleteDocument("k", "d");
      tenant = (await restart()).forTenant("default");
    }
    expect(seen).toEqual(seen.toSorted((one, other) => one - other));
    expect(new Set(seen).size).toBe(seen.length);
  });

  it("continues after more saves than revisions are taken at a time", async () => {
    const { store, restart } = await useTemporaryFileStore();
    const tenant = store.forTenant("default");
    const many = Array.from({ length: 1_050 }, (_, index) => putDocument(tenant, "x", `d${index}`));
    const revisions = await Promise.all(many);
    expect(new Set(revisions).size).toBe(1_050);
    const later = (await restart()).forTenant("default");
    expect(await putDocument(later, "after")).toBeGreaterThan(Math.max(...revisions));
  });
});

const FAILURES: readonly (readonly [string, string, DiskCall["call"], ErrorCode])[] = [
  ["a full disk", "ENOSPC", "write", "STORAGE_FULL"],
  ["a disk that is full when it flushes", "ENOSPC", "datasync", "STORAGE_FULL"],
  ["a disk that is full when a name changes", "ENOSPC", "rename", "STORAGE_FULL"],
  ["a disk that fails when it flushes", "EIO", "datasync", "STORE_UNAVAILABLE"],
];

describe.each(FAILURES)("%s", (_, systemCode, failing, code) => {
  it("leaves the old document, and continues when it is over", async () => {
    const { folder, faults, tenant, restart } = await useFaultyStore();
    await putDocument(tenant, "old");
    const before = readFileSync(documentPath(folder));
    faults.hook = ({ call }) => {
      if (call === failing) throw systemError(systemCode);
    };
    await expect(putDocument(tenant, "new")).rejects.toMatchObject({ code, details: { disk: systemCode } });
    await expect(putDocument(tenant, "new", "other")).rejects.toMatchObject({ code });
    expect(await tenant.loadDocument("k", "d")).toMatchObject({ body: "old" });
    expect(await tenant.loadDocument("k", "other")).toBeUndefined();
    expect(readFileSync(documentPath(folder)).equals(before)).toBe(true);
    expect(existsSync(documentPath(folder, "other"))).toBe(false);
    faults.hook = () => {};
    expect(readdirSync(join(folder, "temporary"))).toEqual([]);
    await putDocument(tenant, "newer");
    expect(await (await restart()).forTenant("default").loadDocument("k", "d")).toMatchObject({ body: "newer" });
  });
});

it("does not say that it saved or deleted before the name is durable", async () => {
  const { faults, tenant } = await useFaultyStore();
  await putDocument(tenant, "old");
  faults.hook = ({ call }) => {
    if (call === "sync_folder") throw systemError("EIO");
  };
  const doubt = { code: "STORE_UNAVAILABLE", details: { in_doubt: true } };
  await expect(putDocument(tenant, "new")).rejects.toMatchObject(doubt);
  await expect(tenant.deleteDocument("k", "d")).rejects.toMatchObject(doubt);
  faults.hook = () => {};
  expect(await tenant.loadDocument("k", "d")).toBeUndefined();
});

it("takes half a file that a crash left for nothing, and has the old document", async () => {
  const { store, folder, restart } = await useTemporaryFileStore();
  await putDocument(store.forTenant("default"), "old");
  const half = readFileSync(documentPath(folder)).subarray(0, 40);
  await store.close();
  writeFileSync(join(folder, "temporary", "half-written"), half);
  expect(await (await restart()).forTenant("default").loadDocument("k", "d")).toMatchObject({ body: "old" });
  expect(readdirSync(join(folder, "temporary"))).toEqual([]);
});

it("is JSON that anybody can read, and only its owner", async () => {
  const { store, folder } = await useTemporaryFileStore();
  await putDocument(store.forTenant("default"), "two\nlines");
  const line: unknown = JSON.parse(readFileSync(documentPath(folder), "utf8"));
  expect(JSON.stringify(line)).toContain("two\\\\nlines");
  expect(statSync(documentPath(folder)).mode & 0o077).toBe(0);
});
