const HIDDEN = /[\u200b\u2060\ufeff\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** Text without control characters, and without characters that a reader does not see and a model does. */
export function cleanText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out.
  const printable = text.replaceAll("\r\n", "\n").replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, " ");
  return printable.replaceAll(HIDDEN, "").toWellFormed();
}

/** Clean text that opens and closes no tag around it. */
export function escapeText(text: string): string {
  return cleanText(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** The entries of a list that the model reads, as many as fit, and how many are left out. */
export function fitEntries<Item>(
  items: readonly Item[],
  write: (item: Item) => string,
  { maxEntries, maxBytes }: { readonly maxEntries: number; readonly maxBytes: number },
): { readonly text: string; readonly left: number } {
  const entries: string[] = [];
  let bytes = 0;
  for (const item of items.slice(0, maxEntries)) {
    const entry = write(item);
    bytes += Buffer.byteLength(entry) + 1;
    if (bytes > maxBytes) break;
    entries.push(entry);
  }
  return { text: entries.join("\n"), left: items.length - entries.length };
}
