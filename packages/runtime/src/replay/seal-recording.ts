import {
  canonicalJson,
  chainDigest,
  contentDigest,
  FIRST_DIGEST,
  RepriseError,
  type StoredChangeset,
  type TenantStore,
} from "@reprise/contracts";
import type { Divergence } from "./compare-commits.ts";
import type { RunRecording } from "./recording.ts";

type Hash = (text: string) => string;

/** The changesets of a run with their digests, and the digest before the first of them. */
export interface SealedHistory {
  readonly before: string;
  readonly changesets: readonly StoredChangeset[];
}

/**
 * Anchors the changesets of a run in the history of their thread. Where the version before them is pruned, nobody has its digest
 * any more: then their own chain begins with them.
 */
export async function sealHistory(
  store: Pick<TenantStore, "readChangesets">,
  changesets: readonly StoredChangeset[],
  hash: Hash,
): Promise<SealedHistory> {
  const [first] = changesets;
  const before = first === undefined ? FIRST_DIGEST : await loadDigest(store, first.thread_id, first.version - 1);
  if (before !== undefined) return { before, changesets };
  let digest = FIRST_DIGEST;
  const sealed = changesets.map((changeset) => {
    digest = digestAfter(digest, changeset, hash);
    return { ...changeset, digest };
  });
  return { before: FIRST_DIGEST, changesets: sealed };
}

async function loadDigest(
  store: Pick<TenantStore, "readChangesets">,
  threadId: string,
  version: number,
): Promise<string | undefined> {
  if (version === 0) return FIRST_DIGEST;
  try {
    return (await store.readChangesets(threadId, version - 1, 1))[0]?.digest;
  } catch (error) {
    if (RepriseError.is(error, "VERSION_GONE")) return undefined;
    throw error;
  }
}

function digestAfter(before: string, changeset: StoredChangeset, hash: Hash): string {
  const { version: _version, digest: _digest, ...content } = changeset;
  return chainDigest(before, contentDigest(content, hash), hash);
}

/** Seals what an export has beside its changesets, which have digests of their own. */
export function sealRecording(recording: Omit<RunRecording, "digest">, hash: Hash): RunRecording {
  return { ...recording, digest: digestOf(recording, hash) };
}

function digestOf(recording: Omit<RunRecording, "digest">, hash: Hash): string {
  const { changesets, digest: _digest, ...rest } = recording as RunRecording;
  const sealed = changesets.map(({ version, digest }) => [version, digest]);
  return hash(canonicalJson({ ...rest, changesets: sealed }));
}

/** Finds where a recording is no longer what was sealed. */
export function findBrokenSeal(recording: RunRecording, hash: Hash): Divergence | undefined {
  const { base, changesets, digest } = recording;
  let before = base.digest;
  for (const changeset of changesets) {
    const actual = digestAfter(before, changeset, hash);
    const { version, digest: expected } = changeset;
    if (actual !== expected) return { version, what: "digest", index: 0, expected, actual };
    before = actual;
  }
  const actual = digestOf(recording, hash);
  return actual === digest ? undefined : { version: base.version, what: "digest", index: 0, expected: digest, actual };
}
