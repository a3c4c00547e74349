import type { Changeset } from "./changeset.ts";
import { type ChangesetTexts, writeChangeset } from "./changeset-texts.ts";

/** The digest before a thread's first changeset. */
export const FIRST_DIGEST = "";

/** A hash as `Env.hash` makes it: SHA-256 in lower case hex. */
type Hash = (text: string) => string;

/** Hashes all of a changeset, wherever a store keeps its parts. A store that has written it passes its texts. */
export function contentDigest(
  changeset: Changeset,
  hash: Hash,
  texts: ChangesetTexts = writeChangeset(changeset),
): string {
  const { changeset_id, thread_id, run_id } = changeset;
  const { messages, calls, patches, events, rest } = texts;
  // JSON has no bare line breaks, so no text can pass for the end of one and the beginning of another.
  const names = JSON.stringify([changeset_id, thread_id, run_id]);
  return hash([names, messages, calls, patches, events, rest].join("\n"));
}

/** The digest of a version: it covers the changeset and, through the digest before it, the whole history of the thread. */
export function chainDigest(previous: string, content: string, hash: Hash): string {
  return hash(`${previous}\n${content}`);
}
