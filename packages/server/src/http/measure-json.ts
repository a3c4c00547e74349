/** How deep a text of JSON nests, and how many keys its objects have. */
export interface JsonMeasure {
  readonly depth: number;
  readonly keys: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Looks at a text before it is parsed: a megabyte of brackets keeps the parser busy for a fifth of a second, and this for a few
 * milliseconds. What is no JSON has some measure too; that it is none is for the parser to say.
 */
export function measureJson(text: string): JsonMeasure {
  let [depth, deepest, keys] = [0, 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COLON) keys += 1;
    else if (OPENING.has(code)) {
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (CLOSING.has(code)) depth -= 1;
  }
  return { depth: deepest, keys };
}

/** Where the string that begins here ends: at a quote with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}
