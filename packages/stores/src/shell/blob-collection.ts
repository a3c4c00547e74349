import { BLOB_GRACE_MS, type BlobStore, RepriseError, type Store } from "@reprise/contracts";

/** A blob that is put again is young again, but it need not be written for that more often than this. */
export const TOUCH_EVERY_MS: number = 60 * 60 * 1_000;

/** So that a blob has its day from whenever it was put last. */
export const COLLECT_AFTER_MS: number = BLOB_GRACE_MS + TOUCH_EVERY_MS;

/** How often a process collects by itself, when it puts blobs: only then there are ever more. */
const COLLECT_EVERY_MS = TOUCH_EVERY_MS;

/** A store and the blobs of its threads. Blobs that no thread refers to are collected by pruning, and now and then by puts. */
export function withCollection<Opened extends Store>(
  store: Opened,
  blobs: BlobStore,
  now: () => number,
): Opened & { readonly blobs: BlobStore } {
  const { operator } = store;
  let collectedAt = now();
  const collectNowAndThen = (): void => {
    if (now() - collectedAt < COLLECT_EVERY_MS) return;
    collectedAt = now();
    // No caller waits for it, and what is in its way now is not in an hour.
    blobs.collect().catch(() => undefined);
  };
  return {
    ...store,
    operator: {
      ...operator,
      async prune(retention, signal) {
        const pruned = await operator.prune(retention, signal);
        return { ...pruned, blobs: await blobs.collect() };
      },
    },
    blobs: {
      ...blobs,
      async put(tenant, content, options) {
        const info = await blobs.put(tenant, content, options);
        collectNowAndThen();
        return info;
      },
    },
  };
}

/** Refuses a new blob that would give its tenant more bytes than it may have. */
export function assertQuota(used: number, bytes: number, quota: number): void {
  if (used + bytes <= quota) return;
  const message = `Cannot put a blob of ${bytes} bytes: the tenant has ${used} of ${quota} bytes of blobs.`;
  throw new RepriseError("BLOB_QUOTA_EXCEEDED", message, { details: { bytes, used, quota_bytes: quota } });
}
