/** A pattern over ids: the whole id must match, `*` stands for any text, `\` takes away the meaning of what follows. */
export interface Glob {
  readonly pattern: string;
  matches(id: string): boolean;
}

/** Says what is wrong with a pattern, or undefined. */
export function findGlobProblem(pattern: string): string | undefined {
  if (pattern === "") return "an empty pattern matches nothing";
  return /(?:^|[^\\])(?:\\\\)*\\$/.test(pattern)
    ? `the pattern ${JSON.stringify(pattern)} ends in a lone \\`
    : undefined;
}

/** Compiles a pattern without problems. Matching takes time linear in the id for each piece: no pattern is a trap. */
export function compileGlob(pattern: string): Glob {
  const pieces = splitAtStars(pattern);
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length === 1) return { pattern, matches: (id) => id === first };
  const middle = pieces.slice(1, -1).filter((piece) => piece !== "");
  const shortest = first.length + last.length;
  const matches = (id: string): boolean => {
    if (id.length < shortest || !id.startsWith(first) || !id.endsWith(last)) return false;
    return middle.length === 0 || holdsInOrder(id, middle, first.length, id.length - last.length);
  };
  return { pattern, matches };
}

/** Taking each piece where it first occurs leaves the most room for those after it. */
function holdsInOrder(id: string, pieces: readonly string[], from: number, end: number): boolean {
  let position = from;
  for (const piece of pieces) {
    const found = id.indexOf(piece, position);
    if (found === -1 || found + piece.length > end) return false;
    position = found + piece.length;
  }
  return true;
}

/** The texts between the stars, with their escapes undone. */
function splitAtStars(pattern: string): readonly string[] {
  const pieces = [""];
  for (let index = 0; index < pattern.length; index++) {
    if (pattern[index] === "*") {
      pieces.push("");
      continue;
    }
    if (pattern[index] === "\\") index += 1;
    pieces[pieces.length - 1] += pattern[index] ?? "";
  }
  return pieces;
}
