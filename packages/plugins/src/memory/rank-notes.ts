import type { Note } from "./notebook.ts";

/** Words of any script. Scripts that write without spaces are read character by character. */
const WORDS = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{N}\p{M}]+/gu;

/** Words that share this many first letters, a final s aside, are taken for forms of one word: `allergy`, `allergic`. */
const STEM_LETTERS = 5;

/** A longer question is ranked by its end: that is where the user asks. */
const MAX_QUERY_CHARACTERS = 2_000;

/**
 * Orders notes by how well their words match a query, best first; among equals the newest comes first. A word counts the more, the fewer notes
 * contain it. Every note is in the answer.
 */
export function rankNotes(query: string, notes: readonly Note[]): readonly { note: Note; score: number }[] {
  const asked = stemsOf(query.slice(-MAX_QUERY_CHARACTERS));
  const stems = notes.map(({ text }) => stemsOf(text));
  const weights = new Map([...asked].map((stem) => [stem, weightOf(stem, stems)]));
  const scored = notes.map((note, index) => {
    let score = 0;
    for (const stem of stems[index] ?? []) score += weights.get(stem) ?? 0;
    return { note, score };
  });
  return scored.toSorted((one, other) => other.score - one.score || other.note.updatedAt - one.note.updatedAt);
}

function weightOf(stem: string, notes: readonly ReadonlySet<string>[]): number {
  const count = notes.filter((stems) => stems.has(stem)).length;
  return count === 0 ? 0 : Math.log(1 + notes.length / count);
}

function stemsOf(text: string): ReadonlySet<string> {
  const words = text.normalize("NFKC").toLowerCase().match(WORDS) ?? [];
  return new Set(words.map((word) => [...word.replace(/(?<=...)s$/, "")].slice(0, STEM_LETTERS).join("")));
}
