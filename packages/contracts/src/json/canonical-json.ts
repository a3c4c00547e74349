/** JSON with sorted keys, so that equal values have equal text. Properties that are undefined are left out, as JSON does. */
export function canonicalJson(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number") return Number.isFinite(value) ? `${value}` : "null";
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) {
    let text = "[";
    for (let index = 0; index < value.length; index += 1) {
      if (index > 0) text += ",";
      text += canonicalJson(value[index]);
    }
    return `${text}]`;
  }
  let text = "{";
  for (const key of Object.keys(value).sort()) {
    const item = (value as { readonly [key: string]: unknown })[key];
    if (item === undefined) continue;
    if (text.length > 1) text += ",";
    text += textOfKey(key) + canonicalJson(item);
  }
  return `${text}}`;
}

/** Most keys are those of our own interfaces, again and again. */
const keys = new Map<string, string>();
const REMEMBERED_KEYS = 500;

function textOfKey(key: string): string {
  const known = keys.get(key);
  if (known !== undefined) return known;
  const text = `${JSON.stringify(key)}:`;
  if (keys.size < REMEMBERED_KEYS) keys.set(key, text);
  return text;
}
