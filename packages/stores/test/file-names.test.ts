import { readdirSync } from "node:fs";
import { join } from "node:path";
import { assertId } from "@reprise/contracts";
import { expect, it } from "vitest";
import { HOSTILE_NAMES } from "./file/hostile-names.ts";
import { useTemporaryFileStore } from "./file/temporary-file-store.ts";

const BLOB = new Uint8Array([1, 2, 3]);

function isAllowed(name: string): boolean {
  try {
    assertId("thread", name);
    return true;
  } catch {
    return false;
  }
}

it("has two hundred names to try, most of which are allowed", () => {
  expect(new Set(HOSTILE_NAMES).size).toBeGreaterThanOrEqual(200);
  expect(HOSTILE_NAMES.filter(isAllowed).length).toBeGreaterThan(100);
  expect(HOSTILE_NAMES.filter((name) => !isAllowed(name)).length).toBeGreaterThan(30);
});

it("keeps threads, blobs and documents under any name that is allowed, apart, and refuses all others", async () => {
  const { store, restart, folder } = await useTemporaryFileStore();
  const allowed = HOSTILE_NAMES.filter(isAllowed);
  await Promise.all(
    HOSTILE_NAMES.map(async (name) => {
      const make = () => store.forTenant("t").createThread({ thread_id: name, metadata: { name } });
      const put = () => store.blobs.put(name, BLOB, { media_type: name });
      if (isAllowed(name)) {
        await make();
        await put();
        await store.forTenant(name).createThread({ thread_id: "same", metadata: { name } });
        await store.forTenant("t").saveDocument({ kind: "same", id: name, body: name }, 0);
        await store.forTenant(name).saveDocument({ kind: name, id: "same", body: name }, 0);
      } else {
        await expect(make()).rejects.toMatchObject({ code: "INVALID_ID" });
        await expect(put()).rejects.toMatchObject({ code: "INVALID_ID" });
        expect(() => store.forTenant(name)).toThrow();
      }
    }),
  );
  const later = await restart();
  expect((await later.forTenant("t").listThreads()).total).toBe(allowed.length);
  for (const name of allowed) {
    expect((await later.forTenant("t").loadThread(name))?.thread.metadata).toEqual({ name });
    expect((await later.forTenant(name).loadThread("same"))?.thread.metadata).toEqual({ name });
    const { ref } = await later.blobs.put(name, BLOB);
    expect((await later.blobs.get(name, ref)).info.media_type).toBe(name);
    expect(await later.forTenant("t").loadDocument("same", name)).toMatchObject({ body: name });
    expect(await later.forTenant(name).loadDocument(name, "same")).toMatchObject({ body: name });
  }
  expectPlainNames(folder, allowed.length);
});

/** Names that are the same file on no system, lead nowhere, and are short. */
function expectPlainNames(folder: string, count: number): void {
  expect(readdirSync(join(folder, "..")).filter((name) => name !== "store")).toEqual([]);
  expect(readdirSync(folder).toSorted()).toEqual(["blobs", "documents", "lock", "store.json", "temporary", "threads"]);
  const logs = readdirSync(join(folder, "threads"));
  const tenants = readdirSync(join(folder, "blobs"));
  const documents = readdirSync(join(folder, "documents")).filter((name) => name !== "revisions.json");
  expect([logs.length, tenants.length, documents.length]).toEqual([count * 2, count, count * 2]);
  for (const name of [...logs, ...tenants, ...documents]) expect(name).toMatch(/^[0-9a-f]{64}(\.jsonl?)?$/);
}
