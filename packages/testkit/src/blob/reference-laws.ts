import { RepriseError } from "@reprise/contracts";
import { expect } from "vitest";
import { expectContent, makeBytes, refOf } from "./blob-content.ts";
import type { BlobLaw } from "./describe-blob-store.ts";

const TENANT = "tenant-1";
const CONTENT = makeBytes(50);
const HASH = refOf(CONTENT).slice("blob:".length);

/** References that no blob has, however much some look like one. */
const GARBAGE: readonly string[] = [
  "",
  "blob:",
  HASH,
  `BLOB:${HASH}`,
  `blob:${HASH.toUpperCase()}`,
  `blob:${HASH.slice(1)}`,
  `blob:${HASH}0`,
  ` blob:${HASH}`,
  `blob:${HASH}\n`,
  `blob:${HASH}\u0000`,
  "blob:../../../../etc/passwd",
  `blob:${HASH}/../${HASH}`,
  "blob:..",
  "blob:%2e%2e%2f",
  "blob:half\ud83d",
  "blob:nul\u0000",
  "blob:__proto__",
  "__proto__",
  "blob:'; drop table blobs; --",
  `blob:${"x".repeat(100_000)}`,
];

const BAD_TENANTS: readonly string[] = ["", "..", "../up", "a/b", "a\\b", "nul\u0000", "half\ud83d", "x".repeat(257)];

/** References, tenants, and what is not there. */
export function referenceLaws(law: BlobLaw): void {
  law("does not have a blob that was never put", async ({ blobs }) => {
    await expect(blobs.get(TENANT, refOf(CONTENT))).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
  });

  law("answers garbage in place of a reference as a blob that is not there", async ({ blobs }) => {
    await blobs.put(TENANT, CONTENT);
    for (const ref of GARBAGE) {
      const refusal: unknown = await blobs.get(TENANT, ref).catch((error: unknown) => error);
      expect([ref, RepriseError.is(refusal) ? refusal.code : refusal]).toEqual([ref, "BLOB_NOT_FOUND"]);
      await blobs.delete(TENANT, ref);
    }
    await expectContent(blobs, TENANT, CONTENT);
  });

  law("keeps tenants apart: a reference of one means nothing to another", async ({ blobs }) => {
    const info = await blobs.put("one", CONTENT, { media_type: "image/png" });
    await expect(blobs.get("two", info.ref)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
    expect(await blobs.put("two", CONTENT, { media_type: "text/html" })).toEqual({ ...info, media_type: "text/html" });
    expect((await blobs.get("one", info.ref)).info).toEqual(info);
    await blobs.delete("two", info.ref);
    await expect(blobs.get("two", info.ref)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
    await expectContent(blobs, "one", CONTENT);
  });

  law("tells apart tenants whose names look alike", async ({ blobs }) => {
    const tenants = ["Case", "case", "\u00e9", "e\u0301", "con", "CON", "emoji-🦊", "a:b.c*>", "x".repeat(256)];
    for (const [index, tenant] of tenants.entries()) {
      await blobs.put(tenant, CONTENT, { media_type: `type/${index}` });
    }
    for (const [index, tenant] of tenants.entries()) {
      expect((await blobs.get(tenant, refOf(CONTENT))).info.media_type).toBe(`type/${index}`);
    }
  });

  law("refuses a tenant that could not be a key everywhere, and has nothing of it", async ({ blobs }) => {
    for (const tenant of BAD_TENANTS) {
      const put: unknown = await blobs.put(tenant, CONTENT).catch((error: unknown) => error);
      expect([tenant, RepriseError.is(put) ? put.code : put]).toEqual([tenant, "INVALID_ID"]);
      const got: unknown = await blobs.get(tenant, refOf(CONTENT)).catch((error: unknown) => error);
      expect(["BLOB_NOT_FOUND", "INVALID_ID"]).toContain(RepriseError.is(got) ? got.code : got);
    }
  });

  law("forgets a blob that is deleted, once and again, and takes it anew", async ({ blobs }) => {
    const { ref } = await blobs.put(TENANT, CONTENT, { media_type: "image/png" });
    await blobs.delete(TENANT, ref);
    await expect(blobs.get(TENANT, ref)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
    await blobs.delete(TENANT, ref);
    expect(await blobs.put(TENANT, CONTENT)).toEqual({ ref, bytes: CONTENT.byteLength });
    await expectContent(blobs, TENANT, CONTENT);
  });
}
