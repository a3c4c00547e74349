import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BLOB_PIECE_BYTES } from "@reprise/contracts";
import { expect, it } from "vitest";
import { assertLinux } from "../../../test/support/assert-linux.ts";
import { useTemporaryFileStore } from "./file/temporary-file-store.ts";

const LARGE = new Uint8Array(2 * BLOB_PIECE_BYTES + 5).fill(3);

/** How many files below a folder this process has open. */
function countOpen(folder: string): number {
  const paths = readdirSync("/proc/self/fd").map((name) => {
    try {
      return readlinkSync(join("/proc/self/fd", name));
    } catch {
      // The one that the list was read by is gone.
      return "";
    }
  });
  return paths.filter((path) => path.startsWith(join(folder, "blobs"))).length;
}

it("has a blob's file open while it is being read, and no longer", async (context) => {
  assertLinux(context);
  const { store, folder } = await useTemporaryFileStore();
  const { ref } = await store.blobs.put("t", LARGE);
  const { content } = await store.blobs.read("t", ref);
  expect(countOpen(folder)).toBe(0);
  const reader = content[Symbol.asyncIterator]();
  await reader.next();
  expect(countOpen(folder)).toBe(1);
  await reader.return?.();
  expect(countOpen(folder)).toBe(0);
  for await (const piece of (await store.blobs.read("t", ref)).content) expect(piece.byteLength).toBeGreaterThan(0);
  expect(countOpen(folder)).toBe(0);
});

it("closes although an upload never brings its next piece, and keeps nothing of it", async () => {
  const { store, folder } = await useTemporaryFileStore();
  const stalled = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  async function* source(): AsyncGenerator<Uint8Array, void> {
    yield LARGE;
    stalled.resolve();
    await released.promise;
    yield LARGE;
  }
  const put = store.blobs.put("t", source()).catch((error: unknown) => error);
  await stalled.promise;
  expect(readdirSync(join(folder, "temporary"))).toHaveLength(1);
  await store.close();
  released.resolve();
  expect(await put).toMatchObject({ code: "STORE_UNAVAILABLE" });
  expect(readdirSync(join(folder, "temporary"))).toEqual([]);
});

it("does not give out the end of a blob that was damaged", async () => {
  const { store, folder } = await useTemporaryFileStore();
  const { ref } = await store.blobs.put("t", LARGE);
  const [tenant = ""] = readdirSync(join(folder, "blobs"));
  const path = join(folder, "blobs", tenant, ref.slice("blob:".length));
  const bytes = readFileSync(path);
  bytes[100] = 9;
  writeFileSync(path, bytes);
  let read = 0;
  const reading = (async () => {
    for await (const piece of (await store.blobs.read("t", ref)).content) read += piece.byteLength;
  })();
  await expect(reading).rejects.toMatchObject({ code: "CORRUPT_DATA" });
  expect(read).toBe(2 * BLOB_PIECE_BYTES);
  writeFileSync(path, bytes.subarray(0, 1_000));
  await expect(store.blobs.get("t", ref)).rejects.toMatchObject({ code: "CORRUPT_DATA" });
});
