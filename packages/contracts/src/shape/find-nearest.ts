/** The known name that was probably meant: a few letters away, or one that begins with the given text. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const meant = fold(name);
  if (meant === "") return undefined;
  const furthest = Math.max(meant.length < SHORT ? 1 : 2, Math.floor(meant.length / 3));
  let nearest: string | undefined;
  let least = furthest + 1;
  for (const candidate of known) {
    const folded = fold(candidate);
    if (meant.length >= SHORT && folded.startsWith(meant)) return candidate;
    if (Math.abs(folded.length - meant.length) >= least) continue;
    const distance = countEdits(meant, folded);
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** Short words are like too many others. */
const SHORT = 4;

/** So that `maxRounds` is near `max_rounds`. */
function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[-_.\s]/g, "");
}

/** How many letters to add, drop or replace to come from one word to another. */
function countEdits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const replaced = (row[column - 1] ?? 0) + (from[line - 1] === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
