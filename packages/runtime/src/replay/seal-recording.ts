import {
  canonicalJson,
  chainDigest,
  contentDigest,
  FIRST_DIGEST,
  type Message,
  RepriseError,
  type StoredChangeset,
  type TenantStore,
} from "@reprise/contracts";
import type { Divergence } from "./compare-commits.ts";
import type { RecordingHead, RunRecording } from "./recording.ts";

type Hash = (text: string) => string;

/**
 * The digest of the version before a run's first. Where that is pruned, its digest is gone too, and undefined is answered: then the
 * run's own chain begins with it.
 */
export function digestBefore(
  store: Pick<TenantStore, "readChangesets">,
  { thread_id, version }: Pick<StoredChangeset, "thread_id" | "version">,
): Promise<string | undefined> {
  return loadDigest(store, thread_id, version - 1);
}

/** Gives changesets the digests of a chain of their own. */
export async function* chainAnew(
  changesets: AsyncIterable<StoredChangeset>,
  hash: Hash,
): AsyncGenerator<StoredChangeset, void> {
  let digest = FIRST_DIGEST;
  for await (const changeset of changesets) {
    digest = digestAfter(digest, changeset, hash);
    yield { ...changeset, digest };
  }
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

/**
 * The parts of a recording that its digest is made of. What may be long is in it by a digest of its own, so that a recording can be
 * written without being held: changesets and messages by those of their chains, texts by their references.
 */
export interface SealedParts {
  readonly head: RecordingHead;
  readonly messages: string;
  readonly changesets: readonly (readonly [version: number, digest: string])[];
  readonly texts: readonly string[];
}

export function sealParts({ head, messages, changesets, texts }: SealedParts, hash: Hash): string {
  return hash(canonicalJson({ ...head, messages, changesets, texts: texts.toSorted() }));
}

/** The digest of messages, given that of those before. */
export function chainMessage(before: string, message: Message, hash: Hash): string {
  return chainDigest(before, hash(canonicalJson(message)), hash);
}

function digestOf(recording: RunRecording, hash: Hash): string {
  const { changesets, texts, digest: _digest, base, ...rest } = recording;
  const { messages, ...before } = base;
  let chained = FIRST_DIGEST;
  for (const message of messages) chained = chainMessage(chained, message, hash);
  const sealed = changesets.map(({ version, digest }) => [version, digest] as const);
  const parts = { messages: chained, changesets: sealed, texts: Object.keys(texts) };
  return sealParts({ head: { ...rest, base: before }, ...parts }, hash);
}

/** A recording whose digests are those of its content. For recordings that were shortened or redacted. */
export function sealAnew(recording: RunRecording, hash: Hash): RunRecording {
  let before = recording.base.digest;
  const changesets = recording.changesets.map((changeset) => {
    before = digestAfter(before, changeset, hash);
    return { ...changeset, digest: before };
  });
  const sealed = { ...recording, changesets };
  return { ...sealed, digest: digestOf(sealed, hash) };
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
  const isChanged = Object.entries(recording.texts).some(([ref, text]) => ref !== `blob:${hash(text)}`);
  const actual = isChanged ? "a text that is not what its reference says" : digestOf(recording, hash);
  return actual === digest ? undefined : { version: base.version, what: "digest", index: 0, expected: digest, actual };
}
