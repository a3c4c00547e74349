/** The text in a header. One that a header cannot hold is in base64 between `=?base64?` and `?=`. Undefined when that is no base64, or no text. */
export function decodeHeader(value: string | null): string | undefined {
  const text = value?.trim();
  const encoded = text === undefined ? undefined : /^=\?base64\?(.*)\?=$/s.exec(text)?.[1];
  if (encoded === undefined) return text;
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(encoded)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
