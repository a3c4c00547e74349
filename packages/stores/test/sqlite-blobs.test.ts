import { expect, it } from "vitest";
import { useTemporaryStore } from "./support/temporary-store.ts";

it("gives back the bytes it was given, under a reference made of them", async () => {
  const { store, reopen } = await useTemporaryStore();
  const content = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256);
  const info = await store.blobs.put("tenant", content, { media_type: "image/png" });
  expect(info).toMatchObject({ bytes: 300_000, media_type: "image/png" });
  expect(info.ref).toMatch(/^blob:[0-9a-f]{64}$/);
  expect(await store.blobs.put("tenant", content)).toEqual(info);
  const found = await (await reopen()).blobs.get("tenant", info.ref);
  expect(found.info).toEqual(info);
  expect(Buffer.from(found.content).equals(Buffer.from(content))).toBe(true);
});

it("keeps tenants apart and forgets what is deleted", async () => {
  const { store } = await useTemporaryStore();
  const { ref } = await store.blobs.put("one", new Uint8Array([1, 2, 3]));
  await expect(store.blobs.get("two", ref)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
  await store.blobs.delete("two", ref);
  expect((await store.blobs.get("one", ref)).content).toHaveLength(3);
  await store.blobs.delete("one", ref);
  await expect(store.blobs.get("one", ref)).rejects.toMatchObject({ code: "BLOB_NOT_FOUND" });
});

it("takes an empty blob, and refuses a tenant that could be a path", async () => {
  const { store } = await useTemporaryStore();
  const { ref, bytes } = await store.blobs.put("one", new Uint8Array());
  expect(bytes).toBe(0);
  expect((await store.blobs.get("one", ref)).content).toHaveLength(0);
  await expect(store.blobs.put("../up", new Uint8Array())).rejects.toMatchObject({ code: "INVALID_ID" });
});
