import { type Json, type JsonObject, putOwn } from "./json.ts";

/**
 * `JSON.parse` that gives every key back as it was written. The one of V8 does not (nodejs/node#63785): once a key with a
 * backslash in it was read, a later key that is written with an escape may come back as the earlier one. So keys with escapes
 * are replaced by plain ones before parsing, and put back after it. Texts without such keys, which are nearly all, go straight to
 * the parser.
 */
export function parseJson(text: string): Json {
  if (!text.includes("\\") || !mayHaveEscapedKey(text)) return JSON.parse(text);
  // Whether it is JSON at all, and how to say that it is not, is the parser's business.
  JSON.parse(text);
  const { plain, names } = hideEscapedKeys(text);
  return restoreKeys(JSON.parse(plain), names);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/** Looks at the end of every key, from the colon backwards: texts are long, keys are short. Of what is no JSON it may say either. */
function mayHaveEscapedKey(text: string): boolean {
  for (let colon = text.indexOf(":"); colon >= 0; colon = text.indexOf(":", colon + 1)) {
    let end = colon - 1;
    while (SPACE.has(text.charCodeAt(end))) end -= 1;
    if (text.charCodeAt(end) === QUOTE && isEscapedBefore(text, end)) return true;
  }
  return false;
}

/** Whether the string that ends with this quote has an escape. A quote that is itself escaped ends none. */
function isEscapedBefore(text: string, quote: number): boolean {
  let at = quote - 1;
  while (text.charCodeAt(at) === BACKSLASH) at -= 1;
  const slashes = quote - 1 - at;
  if (slashes > 0) return slashes % 2 === 0;
  while (at >= 0 && text.charCodeAt(at) !== QUOTE && text.charCodeAt(at) !== BACKSLASH) at -= 1;
  return text.charCodeAt(at) === BACKSLASH || text.charCodeAt(at - 1) === BACKSLASH;
}

interface HiddenKeys {
  /** The text with other keys. */
  readonly plain: string;
  /** The keys they stand for. */
  readonly names: ReadonlyMap<string, string>;
}

/** Replaces each key that has an escape. The text is valid JSON: a quote outside a string begins one. */
function hideEscapedKeys(text: string): HiddenKeys {
  const prefix = absentFrom(text);
  const hidden = new Map<string, string>();
  const pieces: string[] = [];
  let copied = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const { end, hasEscape } = stringAt(text, start);
    if (hasEscape && isKey(text, end)) {
      // A text that is nothing but a string is read rightly.
      const name = String(JSON.parse(text.slice(start, end)));
      const stand = hidden.get(name) ?? `${prefix}${hidden.size}`;
      hidden.set(name, stand);
      pieces.push(text.slice(copied, start), JSON.stringify(stand));
      copied = end;
    }
    start = text.indexOf('"', end);
  }
  const names = new Map([...hidden].map(([name, stand]) => [stand, name]));
  return { plain: pieces.join("") + text.slice(copied), names };
}

/** Where the string that begins at a quote ends, behind its closing quote. */
function stringAt(text: string, start: number): { readonly end: number; readonly hasEscape: boolean } {
  let hasEscape = false;
  let at = start + 1;
  while (text[at] !== '"') {
    const isEscape = text[at] === "\\";
    hasEscape ||= isEscape;
    at += isEscape ? 2 : 1;
  }
  return { end: at + 1, hasEscape };
}

function isKey(text: string, end: number): boolean {
  let at = end;
  while (SPACE.has(text.charCodeAt(at))) at += 1;
  return text[at] === ":";
}

/** A beginning that no key of the text has. */
function absentFrom(text: string): string {
  let prefix = "_";
  while (text.includes(prefix)) prefix += "_";
  return prefix;
}

/** Gives the keys their names back. Without recursion: how deep the value is, is for others to judge. */
function restoreKeys(parsed: Json, names: ReadonlyMap<string, string>): Json {
  const holder: Record<string, Json> = { value: parsed };
  const open: Record<string, Json>[] = [holder];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    for (const key of Object.keys(container)) {
      const item = container[key] ?? null;
      if (typeof item !== "object" || item === null) continue;
      // Fresh from the parser and not shared yet: it may be written to. An array has its positions for keys.
      const restored = (Array.isArray(item) ? item : renameKeys(item as JsonObject, names)) as Record<string, Json>;
      if (restored !== item) putOwn(container, key, restored);
      open.push(restored);
    }
  }
  return holder.value ?? null;
}

/** The same object, or another one in the same order when a key of it has another name. */
function renameKeys(object: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  const keys = Object.keys(object);
  if (!keys.some((key) => names.has(key))) return object;
  const renamed: Record<string, Json> = {};
  for (const key of keys) putOwn(renamed, names.get(key) ?? key, object[key] ?? null);
  return renamed;
}
