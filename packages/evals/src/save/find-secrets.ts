import { replaceCredentials } from "@reprise/contracts";
import { isJson, type Json } from "@reprise/state";
import { LOGIN } from "./redaction-rules.ts";

/** Shorter values of secret fields are words like `none`, and would be taken out of everything. */
const SHORTEST_SECRET = 6;
/** A text as long as this is no word, though it may have no digit. */
const LONGER_THAN_WORDS = 20;

export interface FoundSecret {
  /** Whether the name of a field said it, or the text itself. */
  readonly rule: "field" | "credential";
  readonly text: string;
}

/**
 * The secrets that a value names: what stands under a field with such a name, also in JSON that is the text of a field, and what a text
 * says to be a credential, in a text or in the name of a property.
 */
export function* findSecrets(value: Json, isSecret: (name: string) => boolean): Generator<FoundSecret, void> {
  if (typeof value === "string") {
    yield* secretsInText(value);
    const inner = value.startsWith("{") || value.startsWith("[") ? parseOrNothing(value) : undefined;
    if (inner !== undefined) yield* findSecrets(inner, isSecret);
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) yield* findSecrets(item, isSecret);
    return;
  }
  for (const [name, item] of Object.entries(value)) {
    yield* secretsInText(name);
    if (typeof item === "string" && isSecret(name) && !isSecret(item)) yield* withoutUser(item);
    yield* findSecrets(item, isSecret);
  }
}

/** The credentials of a text. One that may be a word is taken out where it stands, and not of everything. */
export function secretsInText(text: string): readonly FoundSecret[] {
  const found: FoundSecret[] = [];
  const say = (secret: string): string => {
    if (secret.length >= SHORTEST_SECRET && (/\d/.test(secret) || secret.length >= LONGER_THAN_WORDS))
      found.push({ rule: "credential", text: secret });
    return secret;
  };
  replaceCredentials(text, say);
  text.replaceAll(LOGIN, say);
  return found;
}

/** The value of a secret field, and the password of one that is `user:password`. */
function withoutUser(value: string): readonly FoundSecret[] {
  const password = value.slice(value.lastIndexOf(":") + 1);
  const long = [value, password].filter(({ length }) => length >= SHORTEST_SECRET);
  return long.map((text) => ({ rule: "field", text }));
}

/** How deep JSON stands in JSON: a result that is a body that has a body. */
const DEEPEST_JSON = 4;

/** A text as it is, in JSON, in JSON inside JSON, and in an address. */
export function spellingsOf(text: string): ReadonlySet<string> {
  const spellings = new Set([text, encodeURIComponent(text.toWellFormed())]);
  for (let [depth, escaped] = [0, text]; depth < DEEPEST_JSON; depth += 1) {
    escaped = escapeJson(escaped);
    spellings.add(escaped);
  }
  return spellings;
}

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function parseOrNothing(text: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
