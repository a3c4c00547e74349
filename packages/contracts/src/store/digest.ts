import { canonicalJson } from "../json/canonical-json.ts";
import type { Changeset } from "./changeset.ts";

/** The digest before a thread's first changeset. */
export const FIRST_DIGEST = "";

/** A hash as `Env.hash` makes it: SHA-256 in lower case hex. */
type Hash = (text: string) => string;

/** Hashes all of a changeset, wherever a store keeps its parts. */
export function contentDigest(changeset: Changeset, hash: Hash): string {
  return hash(canonicalJson(changeset));
}

/** The digest of a version: it covers the changeset and, through the digest before it, the whole history of the thread. */
export function chainDigest(previous: string, content: string, hash: Hash): string {
  return hash(`${previous}\n${content}`);
}
