import type { TemplateReference } from "./template.ts";

/** The names that lead to values. `secrets` leads nowhere: it is looked for because people write it. */
const ROOTS: readonly string[] = ["inputs", "ctx", "run", "secrets"];

/**
 * What the slots of a text mention, whether they can be parsed or not: every `{{` counts, also one inside of another or of a string. For texts that are
 * sent as they are written, where a mistake hides nothing.
 */
export function looseReferences(text: string): readonly TemplateReference[] {
  const references: TemplateReference[] = [];
  // Slots overlap where braces do: what one has shown is not shown again.
  let seen = 0;
  for (let open = text.indexOf("{{"); open !== -1; open = text.indexOf("{{", open + 1)) {
    const start = Math.max(open + 2, seen);
    const end = endOfSlot(text, open + 2);
    for (let at = start; at < end; at += 1) {
      const root = isPartOfWord(text[at - 1]) || text[at - 1] === "." ? undefined : rootAt(text, at);
      if (root === undefined) continue;
      const read = readSegments(text, at + root.length, end);
      references.push({ root, segments: read.segments });
      at = read.at - 1;
    }
    seen = Math.max(seen, end);
  }
  return references;
}

/** A string may hold `}}`, so a slot reaches to the last one before the next slot, or as far as there is text. */
function endOfSlot(text: string, from: number): number {
  const next = text.indexOf("{{", from);
  const limit = next === -1 ? text.length : next;
  const close = text.lastIndexOf("}}", limit - 2);
  return close >= from ? close : limit;
}

function rootAt(text: string, at: number): string | undefined {
  return ROOTS.find((root) => text.startsWith(root, at) && !isPartOfWord(text[at + root.length]));
}

/** `.name`, `?.name`, `["name"]`, `['name']` and `[0]`, as far as they can be read. */
function readSegments(
  text: string,
  from: number,
  end: number,
): { readonly segments: readonly (string | number)[]; readonly at: number } {
  const segments: (string | number)[] = [];
  let at = from;
  for (;;) {
    let next = skipSpace(text, at, end);
    if (text[next] === "?" && text[next + 1] === ".") next += 1;
    const isDot = text[next] === ".";
    if (isDot) next = skipSpace(text, next + 1, end);
    const isBracket = text[next] === "[";
    if (isBracket) next = skipSpace(text, next + 1, end);
    if (!isDot && !isBracket) return { segments, at };
    const quote = isBracket && (text[next] === '"' || text[next] === "'") ? text[next] : undefined;
    if (quote !== undefined) next += 1;
    const start = next;
    while (next < end && (isPartOfWord(text[next]) || (quote !== undefined && text[next] === "-"))) next += 1;
    if (next === start) return { segments, at };
    segments.push(text.slice(start, next));
    if (quote !== undefined && text[next] === quote) next += 1;
    if (isBracket) next = skipSpace(text, next, end);
    if (isBracket && text[next] === "]") next += 1;
    at = next;
  }
}

function skipSpace(text: string, from: number, end: number): number {
  let at = from;
  while (at < end && /\s/.test(text[at] ?? "")) at += 1;
  return at;
}

function isPartOfWord(character: string | undefined): boolean {
  return character !== undefined && /[A-Za-z0-9_-]/.test(character);
}
