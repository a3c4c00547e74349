import { BLOB_PIECE_BYTES, type BlobStore } from "@reprise/contracts";

/** Everything that can be done with blobs, small and in parts, so that every statement for them is used. */
export async function useBlobs(blobs: BlobStore): Promise<void> {
  const large = new Uint8Array(2 * BLOB_PIECE_BYTES + 1);
  const { ref: small } = await blobs.put("default", new Uint8Array([1]));
  const { ref } = await blobs.put("default", large);
  await blobs.put("default", large);
  async function* broken(): AsyncGenerator<Uint8Array, void> {
    yield large;
    throw new Error("It broke off.");
  }
  await blobs.put("default", broken()).catch(() => undefined);
  await blobs.collect();
  await blobs.usage("default");
  for (const each of [small, ref]) {
    await blobs.get("default", each);
    await blobs.delete("default", each);
  }
}
