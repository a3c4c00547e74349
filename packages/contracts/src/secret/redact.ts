import type { Secret } from "./secret.ts";

const REDACTED = "[redacted]";

/** Takes secrets out of a text. */
export type Redact = (text: string) => string;

/** Shorter ones are part of ordinary text: a password of three letters would take half of it away. */
const SHORTEST = 4;

/**
 * Makes the one function through which everything a provider says passes before it becomes part of an error. It takes out the
 * secrets it knows, also as they look in a URL or in JSON, and every word that looks like a credential: a provider may repeat
 * a key that we never saw.
 */
export function createRedactor(secrets: readonly Secret[]): Redact {
  // The longest first: one secret may be the beginning of another.
  const known = [...new Set(secrets.flatMap((secret) => formsOf(secret.reveal())))].sort(
    (left, right) => right.length - left.length,
  );
  return (text) =>
    known
      .reduce((rest, form) => rest.replaceAll(form, REDACTED), text)
      .replaceAll(/[\w.+=~-]{16,}/g, (word) => (looksLikeCredential(word) ? REDACTED : word));
}

function formsOf(text: string): readonly string[] {
  const words = text.split(/\s+/).filter((word) => !/^(Bearer|Basic|Token)$/i.test(word));
  return [text, ...words]
    .filter((each) => each.length >= SHORTEST)
    .flatMap((each) => [each, encodeURIComponent(each), JSON.stringify(each).slice(1, -1)]);
}

/** A long run of letters and digits mixed. `claude-sonnet-4-5-20250929` has none, and neither has a UUID. */
function looksLikeCredential(word: string): boolean {
  return word.split(/[-_.]/).some((run) => run.length >= 16 && /\d/.test(run) && /[A-Za-z]/.test(run));
}
