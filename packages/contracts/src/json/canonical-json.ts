/** JSON with sorted keys, so that equal values have equal text. Properties that are undefined are left out, as JSON does. */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "number":
      // As JSON has it: no sign of zero, no infinity.
      return Number.isFinite(value) ? String(value) : "null";
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value);
    default:
      return "null";
  }
}

// Every commit is hashed through these two, so they are loops over strings without lists in between.

function canonicalArray(items: readonly unknown[]): string {
  let text = "[";
  for (let index = 0; index < items.length; index += 1) {
    if (index > 0) text += ",";
    text += canonicalJson(items[index]);
  }
  return `${text}]`;
}

function canonicalObject(object: object): string {
  const keys = sortKeys(Object.keys(object));
  // Only its own keys are asked for.
  const values = object as Readonly<Record<string, unknown>>;
  let text = "{";
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] ?? "";
    const value = values[key];
    if (value === undefined) continue;
    if (text.length > 1) text += ",";
    text += quoteKey(key);
    text += canonicalJson(value);
  }
  return `${text}}`;
}

/** Sorts in place, by code units. Few keys are sorted faster by insertion. */
function sortKeys(keys: string[]): readonly string[] {
  if (keys.length > 32) return keys.sort();
  for (let end = 1; end < keys.length; end += 1) {
    const key = keys[end] ?? "";
    let index = end;
    for (let before = keys[index - 1]; before !== undefined && before > key; before = keys[index - 1]) {
      keys[index] = before;
      index -= 1;
    }
    keys[index] = key;
  }
  return keys;
}

/** Keys with quotes and colon. Nearly all keys are those of our own records. */
const QUOTED = new Map<string, string>();
const MOST_QUOTED = 1_000;

function quoteKey(key: string): string {
  const known = QUOTED.get(key);
  if (known !== undefined) return known;
  const quoted = `${JSON.stringify(key)}:`;
  if (QUOTED.size < MOST_QUOTED) QUOTED.set(key, quoted);
  return quoted;
}
