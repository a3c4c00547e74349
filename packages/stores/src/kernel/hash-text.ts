import { hash } from "node:crypto";

/** SHA-256 of a text as lower case hex: the hash of digests and of long ids. */
export function hashText(text: string): string {
  return hash("sha256", text);
}
