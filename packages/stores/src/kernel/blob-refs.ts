/** What is stored names blobs like this, wherever it stands. */
const REF = /blob:[0-9a-f]{64}/g;

/** The blobs that JSON texts name, each once. */
export function blobRefsInTexts(texts: readonly string[]): readonly string[] {
  const found = texts.flatMap((text) => (text.includes("blob:") ? (text.match(REF) ?? []) : []));
  return found.length < 2 ? found : [...new Set(found)];
}

/** The same for values that are not written down. */
export function blobRefsInValue(value: unknown): readonly string[] {
  const found: string[] = [];
  const visit = (part: unknown): void => {
    if (typeof part === "string") found.push(...blobRefsInTexts([part]));
    else if (typeof part === "object" && part !== null) for (const item of Object.values(part)) visit(item);
  };
  visit(value);
  return found.length < 2 ? found : [...new Set(found)];
}
