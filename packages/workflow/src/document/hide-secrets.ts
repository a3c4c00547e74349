import type { Secret } from "@reprise/contracts";
import type { Json } from "@reprise/state";

/** Nothing that short is a secret, and words of that length are everywhere. */
const SHORTEST = 4;

/** Replaces every secret in a text by the name of its input: tools tend to repeat what they were given, above all when they fail. */
export function hideSecrets(text: string, secrets: ReadonlyMap<string, Secret>): string {
  let hidden = text;
  for (const [input, secret] of secrets) {
    const value = secret.reveal();
    if (value.length >= SHORTEST) hidden = hidden.replaceAll(value, `[secret inputs.${input}]`);
  }
  return hidden;
}

/** The same for every text inside of a value, keys included. */
export function hideSecretsIn(value: Json, secrets: ReadonlyMap<string, Secret>): Json {
  if (secrets.size === 0) return value;
  if (typeof value === "string") return hideSecrets(value, secrets);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => hideSecretsIn(item, secrets));
  const entries = Object.entries(value);
  return Object.fromEntries(entries.map(([key, item]) => [hideSecrets(key, secrets), hideSecretsIn(item, secrets)]));
}
