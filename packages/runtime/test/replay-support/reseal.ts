import { createHash } from "node:crypto";
import { canonicalJson, chainDigest, contentDigest, FIRST_DIGEST } from "@reprise/contracts";
import type { RunRecording } from "@reprise/runtime";

const hash = (text: string): string => createHash("sha256").update(text).digest("hex");

/** Gives a changed recording the digests it would have if it had been recorded like that. */
export function reseal({ digest: _digest, ...recording }: RunRecording): RunRecording {
  let before = recording.base.digest;
  const changesets = recording.changesets.map(({ digest: _old, version, ...content }) => {
    before = chainDigest(before, contentDigest(content, hash), hash);
    return { ...content, version, digest: before };
  });
  const sealed = changesets.map(({ version, digest }) => [version, digest]);
  const { base, texts, ...rest } = recording;
  const { messages, ...basis } = base;
  const chained = messages.reduce((digest, each) => chainDigest(digest, hash(canonicalJson(each)), hash), FIRST_DIGEST);
  const parts = { base: basis, messages: chained, changesets: sealed, texts: Object.keys(texts).toSorted() };
  return { ...recording, changesets, digest: hash(canonicalJson({ ...rest, ...parts })) };
}
