/** JSON with sorted keys, so that equal values have equal text. Properties that are undefined are left out, as JSON does. */
export function canonicalJson(value: unknown): string {
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
  for (const [key, item] of sortedEntries(value)) {
    if (item === undefined) continue;
    if (text.length > 1) text += ",";
    text += `${JSON.stringify(key)}:${canonicalJson(item)}`;
  }
  return `${text}}`;
}

function sortedEntries(value: object): [string, unknown][] {
  return Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1));
}
