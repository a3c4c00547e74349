import { MAX_LIMIT, type StoredChangeset, type TenantStore } from "@reprise/contracts";

/** The changesets after a version up to another one, page by page. `VERSION_GONE` when some were pruned. */
export async function readChangesetsBetween(
  store: TenantStore,
  threadId: string,
  after: number,
  upTo: number,
): Promise<readonly StoredChangeset[]> {
  const found: StoredChangeset[] = [];
  for await (const changeset of walkChangesets(store, threadId, after)) {
    if (changeset.version > upTo) break;
    found.push(changeset);
    if (changeset.version === upTo) break;
  }
  return found;
}

/** All changesets after a version, oldest first; the reader may stop early. */
export async function* walkChangesets(
  store: TenantStore,
  threadId: string,
  after: number,
  atOnce: number = MAX_LIMIT,
): AsyncGenerator<StoredChangeset, void> {
  for (let last = after; ; ) {
    const page = await store.readChangesets(threadId, last, atOnce);
    yield* page;
    const next = page.at(-1)?.version;
    if (next === undefined || page.length < atOnce) return;
    last = next;
  }
}
