import type { BlobObjects } from "./blob-objects.ts";
import { type BlobRows, objectKeyOf } from "./blob-rows.ts";

/** How many objects are removed between two looks at the list. */
const OBJECTS_AT_ONCE = 16;

/** Removes unreachable data. A failure is ignored: another process removes it later, and nothing depends on it. */
export async function sweepBlobs(
  rows: Pick<BlobRows, "sweep" | "listDoomedObjects" | "unlistObject">,
  objects: Pick<BlobObjects, "remove"> | undefined,
): Promise<void> {
  try {
    while (await rows.sweep());
    // A process without the object store leaves its objects on the list, for those that have it.
    while (objects !== undefined && (await sweepObjects(rows, objects)));
  } catch {
    // It is on the list of uploads, and stays there until it is gone.
  }
}

async function sweepObjects(
  rows: Pick<BlobRows, "listDoomedObjects" | "unlistObject">,
  objects: Pick<BlobObjects, "remove">,
): Promise<boolean> {
  const doomed = await rows.listDoomedObjects(OBJECTS_AT_ONCE);
  for (const upload of doomed) {
    await objects.remove(objectKeyOf(upload) ?? "");
    await rows.unlistObject(upload);
  }
  return doomed.length === OBJECTS_AT_ONCE;
}
