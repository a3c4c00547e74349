export interface DiffLine {
  readonly kind: "same" | "removed" | "added";
  readonly text: string;
}

/** Longer texts are not compared line by line: the table below would be too large. */
const MAX_LINES = 500;

/** What turns one list of lines into another, with as many lines kept as possible. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  if (before.length > MAX_LINES || after.length > MAX_LINES) {
    return after.map((text) => ({ kind: before.join() === after.join() ? "same" : "added", text }));
  }
  const width = after.length + 1;
  /** How many lines the rest of both has in common, by how far each is read. */
  const common = new Uint16Array((before.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: DiffLine[] = [];
  for (let i = 0, j = 0; i < before.length || j < after.length; ) {
    const [old = "", text = ""] = [before[i], after[j]];
    if (i < before.length && j < after.length && old === text) {
      lines.push({ kind: "same", text });
      i += 1;
      j += 1;
    } else if (i < before.length && (j === after.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: "removed", text: old });
      i += 1;
    } else {
      lines.push({ kind: "added", text });
      j += 1;
    }
  }
  return lines;
}
