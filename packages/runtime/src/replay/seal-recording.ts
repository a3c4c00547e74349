import { canonicalJson, chainDigest, contentDigest, FIRST_DIGEST } from "@reprise/contracts";
import type { Divergence } from "./compare-commits.ts";
import type { CommittedChangeset } from "./read-changesets.ts";
import type { RunRecording } from "./recording.ts";

/** A changeset with the digest of its version. */
export type SealedChangeset = CommittedChangeset & { readonly digest: string };

type Hash = (text: string) => string;

/** Changesets as a store has them, with their digests and the one before them. */
export interface SealedHistory {
  readonly before: string;
  readonly changesets: readonly SealedChangeset[];
}

/** Gives changesets their digests. A store that keeps them has done so already. */
export function sealHistory(changesets: readonly CommittedChangeset[], hash: Hash): SealedHistory {
  let digest = FIRST_DIGEST;
  return {
    before: digest,
    changesets: changesets.map((changeset) => {
      digest = digestAfter(digest, changeset, hash);
      return { ...changeset, digest };
    }),
  };
}

function digestAfter(before: string, changeset: CommittedChangeset, hash: Hash): string {
  const { version: _version, digest: _digest, ...content } = changeset as CommittedChangeset & { digest?: string };
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
