/** SHA-256 as hexadecimal digits. Parts are told apart: no two lists of them give the same text. */
export async function digest(...parts: readonly string[]): Promise<string> {
  return digestOf(JSON.stringify(parts));
}

/** SHA-256 of a text as it is, as hexadecimal digits. */
export async function digestOf(text: string): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

export function randomHex(bytes: number): string {
  return hexOf(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** Compares two texts of one length without telling by the time it takes how much of them is the same. */
export function isSameText(one: string, other: string): boolean {
  if (one.length !== other.length) return false;
  let difference = 0;
  for (let at = 0; at < one.length; at += 1) difference |= one.charCodeAt(at) ^ other.charCodeAt(at);
  return difference === 0;
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
