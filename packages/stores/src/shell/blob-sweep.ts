import type { BlobRows } from "./blob-rows.ts";

/** Removes what nobody will ever read. Whatever is in its way, somebody else does it later: nobody depends on it. */
export async function sweepBlobs(rows: Pick<BlobRows, "sweep">): Promise<void> {
  try {
    while (await rows.sweep());
  } catch {
    // It is on the list of uploads, and stays there until it is gone.
  }
}
