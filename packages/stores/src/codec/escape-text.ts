/**
 * Free text as a column that is compared or read alone: databases disagree about U+0000 and half characters, so both are
 * escaped as JSON does it. Different texts stay different, and ordinary ones stay as they are.
 */
export function escapeText(text: string): string {
  return PLAIN.test(text) ? text : JSON.stringify(text).slice(1, -1);
}

/** What escaping would leave as it is. Nearly every id. */
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

export function unescapeText(text: string): string {
  return text.includes("\\") ? (JSON.parse(`"${text}"`) as string) : text;
}
