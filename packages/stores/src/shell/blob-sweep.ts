import type { BlobRows } from "./blob-rows.ts";

/** Removes unreachable data. A failure is ignored: another process removes it later, and nothing depends on it. */
export async function sweepBlobs(rows: Pick<BlobRows, "sweep">): Promise<void> {
  try {
    while (await rows.sweep());
  } catch {
    // It is on the list of uploads, and stays there until it is gone.
  }
}
