import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createMemoryBlobStore } from "./memory-blob-store.ts";

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

describe("the memory blob store", () => {
  it("gives the same bytes the same reference, and keeps what was put", async () => {
    const blobs = createMemoryBlobStore({ hash });
    const content = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const info = await blobs.put("one", content, { media_type: "image/png" });
    expect(info).toMatchObject({ bytes: 256, media_type: "image/png" });
    expect(info.ref).toMatch(/^blob:[0-9a-f]{64}$/);
    expect(await blobs.put("one", content)).toEqual(info);
    expect(await blobs.put("one", Uint8Array.of(1))).not.toMatchObject({ ref: info.ref });
    content.fill(0);
    const read = await blobs.get("one", info.ref);
    expect([read.info, read.content[255]]).toEqual([info, 255]);
    read.content.fill(0);
    expect((await blobs.get("one", info.ref)).content[255]).toBe(255);
  });

  it("knows nothing of other tenants and of what was deleted", async () => {
    const blobs = createMemoryBlobStore({ hash });
    const { ref } = await blobs.put("one", Uint8Array.of(1, 2));
    await expect(blobs.get("two", ref)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
    await blobs.delete("two", ref);
    await blobs.get("one", ref);
    await blobs.delete("one", ref);
    await expect(blobs.get("one", ref)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
  });
});
