import {
  type ArgumentPath,
  type ArgumentText,
  type ArgumentValues,
  MAX_TEXT,
  UNREADABLE,
} from "../tool-pattern/argument-values.ts";
import type { Clue, ToolPattern } from "../tool-pattern/tool-pattern.ts";

/** The length of the pieces by which rules are found. Shorter pieces are in most texts, and longer ones in few patterns. */
const PIECE = 3;

/** Fewer rules are tried faster than they are looked up. */
const FEWEST = 64;

/**
 * Finds the rules of one tool that are worth trying on a call. Each rule is filed under the rarest piece of text that arguments must contain to
 * fit it, so that a call is read once, and not once for every rule. A rule without such a piece is tried on every call.
 */
export class RuleIndex<Rule extends { readonly pattern: Pick<ToolPattern, "clues"> }> {
  readonly #rules: readonly Rule[];
  /** The positions of rules without a piece. */
  readonly #unfiled: number[] = [];
  readonly #shelves = new Map<string, Shelf>();

  /** The rules in the order in which they are to be tried. */
  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
    if (rules.length < FEWEST) return;
    const pieces = rules.map(({ pattern }) => piecesOf(pattern.clues));
    const counts = new Map<string, number>();
    for (const own of pieces) for (const key of own.keys()) counts.set(key, (counts.get(key) ?? 0) + 1);
    for (const [position, own] of pieces.entries()) {
      let rarest: string | undefined;
      for (const key of own.keys())
        if (rarest === undefined || (counts.get(key) ?? 0) < (counts.get(rarest) ?? 0)) rarest = key;
      const piece = rarest === undefined ? undefined : own.get(rarest);
      if (piece === undefined) this.#unfiled.push(position);
      else this.#file(piece, position);
    }
  }

  /** The rules that may fit, in their order. Every rule that is left out does not. */
  candidates(values: ArgumentValues): Iterable<Rule> {
    if (this.#rules.length < FEWEST) return this.#rules;
    const found = new Set(this.#unfiled);
    for (const { path, positions } of this.#shelves.values()) {
      const texts: readonly ArgumentText[] = path === undefined ? [values.primary()] : values.at(path);
      for (const text of texts) {
        // A rule on arguments that cannot be looked at has a say.
        if (text === UNREADABLE || text.length > MAX_TEXT) return this.#rules;
        for (let index = 0; index + PIECE <= text.length; index += 1) {
          for (const position of positions.get(text.slice(index, index + PIECE)) ?? []) found.add(position);
        }
      }
    }
    return [...found].sort((left, right) => left - right).flatMap((position) => this.#rules[position] ?? []);
  }

  #file({ path, piece }: Piece, position: number): void {
    const key = path?.source ?? "";
    const shelf = this.#shelves.get(key) ?? { path, positions: new Map<string, number[]>() };
    this.#shelves.set(key, shelf);
    shelf.positions.set(piece, [...(shelf.positions.get(piece) ?? []), position]);
  }
}

/** The rules about one field, by the piece of text they are filed under. */
interface Shelf {
  readonly path: ArgumentPath | undefined;
  readonly positions: Map<string, number[]>;
}

interface Piece {
  readonly path: ArgumentPath | undefined;
  readonly piece: string;
}

/** The pieces of the clues of a pattern, by field and text. */
function piecesOf(clues: readonly Clue[]): ReadonlyMap<string, Piece> {
  const pieces = new Map<string, Piece>();
  for (const { path, text } of clues) {
    for (let index = 0; index + PIECE <= text.length; index += 1) {
      const piece = text.slice(index, index + PIECE);
      pieces.set(`${piece}${path?.source ?? ""}`, { path, piece });
    }
  }
  return pieces;
}
