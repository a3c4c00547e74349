/** As much of a regular expression as a schema needs. */
export interface Pattern {
  test(text: string): boolean;
  /** The pattern as it was written. Ajv tells patterns apart by it. */
  toString(): string;
}

/** A text that is longer is not tried on a pattern that backtracks. */
export const MAX_BACKTRACKED = 1_000;

/** Counted repetitions are written out: beyond this a pattern is too large for that. */
const MAX_STEPS = 10_000;

/** How many steps and transitions of a pattern are remembered. */
const MAX_REMEMBERED = 100_000;

/**
 * Compiles a pattern of JavaScript (flag `u`) so that its time is proportional to the length of the text, whatever the text says:
 * the pattern is followed in all its ways at once and never goes back (Thompson's construction, made deterministic on the way).
 *
 * Lookaround, back references and word boundaries cannot be followed so. A pattern with them backtracks, and texts of more than
 * `MAX_BACKTRACKED` characters do not fit it. Throws `SyntaxError` when it is no pattern.
 */
export function compilePattern(source: string): Pattern {
  const backtracking = new RegExp(source, "u");
  const steps = compileSteps(source);
  if (steps === undefined) {
    const test = (text: string): boolean => text.length <= MAX_BACKTRACKED && backtracking.test(text);
    return { test, toString: () => source };
  }
  return new LinearPattern(source, steps);
}

/** A step of the compiled pattern: it consumes a character, or moves on without one. */
type Step =
  | { readonly kind: "character"; readonly fits: (character: string) => boolean; next: number }
  | { readonly kind: "fork"; next: number; other: number }
  | { readonly kind: "start" | "end"; next: number }
  | { readonly kind: "match" };

/** Where a pattern can be after some characters, and where the next ones lead. */
interface Spot {
  /** Steps that wait for a character or for the end of the text. */
  readonly steps: readonly number[];
  readonly isMatch: boolean;
  readonly next: Map<string, Spot>;
}

class LinearPattern implements Pattern {
  readonly #source: string;
  readonly #steps: readonly Step[];
  readonly #spots = new Map<string, Spot>();
  #remembered = 0;

  constructor(source: string, steps: readonly Step[]) {
    this.#source = source;
    this.#steps = steps;
  }

  test(text: string): boolean {
    let spot = this.#spotOf([0], { isStart: true });
    for (const character of text) {
      if (spot.isMatch) return true;
      spot = spot.next.get(character) ?? this.#follow(spot, character);
    }
    return spot.isMatch || this.#spotOf(spot.steps, { isEnd: true, isStart: text === "" }).isMatch;
  }

  toString(): string {
    return this.#source;
  }

  #follow(spot: Spot, character: string): Spot {
    // A match may begin at every character, so the first step is always among those that continue.
    const reached = [0];
    for (const index of spot.steps) {
      const step = this.#steps[index];
      if (step?.kind === "character" && step.fits(character)) reached.push(step.next);
    }
    const next = this.#spotOf(reached, {});
    this.#remembered += 1;
    if (this.#remembered > MAX_REMEMBERED) this.#forget();
    spot.next.set(character, next);
    return next;
  }

  #forget(): void {
    this.#remembered = 0;
    for (const known of this.#spots.values()) known.next.clear();
    this.#spots.clear();
  }

  /** Continues from some steps as far as it goes without a character. */
  #spotOf(from: readonly number[], at: { readonly isStart?: boolean; readonly isEnd?: boolean }): Spot {
    const seen = new Set<number>();
    const waiting: number[] = [];
    let isMatch = false;
    for (const open = [...from]; open.length > 0; ) {
      const index = open.pop() ?? 0;
      if (seen.has(index)) continue;
      seen.add(index);
      const step = this.#steps[index];
      if (step === undefined || step.kind === "match") isMatch = true;
      else if (step.kind === "fork") open.push(step.other, step.next);
      else if (step.kind === "character") waiting.push(index);
      else if (step.kind === "start" ? at.isStart === true : at.isEnd === true) open.push(step.next);
      else if (step.kind === "end") waiting.push(index);
    }
    const steps = waiting.sort((left, right) => left - right);
    const key = `${isMatch}${steps.join()}`;
    const known = this.#spots.get(key);
    if (known !== undefined) return known;
    const spot: Spot = { steps, isMatch, next: new Map() };
    this.#remembered += steps.length;
    this.#spots.set(key, spot);
    return spot;
  }
}

/** A part of a pattern, read and not yet written out. */
type Part =
  | { readonly of: "character"; readonly fits: (character: string) => boolean }
  | { readonly of: "start" | "end" }
  | { readonly of: "sequence" | "choice"; readonly parts: readonly Part[] }
  | { readonly of: "repeated"; readonly part: Part; readonly least: number; readonly most: number };

/** The steps of a pattern that is valid; undefined when it needs to go back. */
function compileSteps(source: string): readonly Step[] | undefined {
  try {
    const steps: Step[] = [];
    writeSteps(new PatternReader(source).read(), steps);
    steps.push({ kind: "match" });
    return steps;
  } catch (error) {
    if (error instanceof NeedsBacktracking) return undefined;
    throw error;
  }
}

class NeedsBacktracking extends Error {}

/** Writes a part behind the steps there are; it continues at the step that is written next. */
function writeSteps(part: Part, steps: Step[]): void {
  if (steps.length > MAX_STEPS) throw new NeedsBacktracking();
  switch (part.of) {
    case "character":
      steps.push({ kind: "character", fits: part.fits, next: steps.length + 1 });
      return;
    case "start":
    case "end":
      steps.push({ kind: part.of, next: steps.length + 1 });
      return;
    case "sequence":
      for (const each of part.parts) writeSteps(each, steps);
      return;
    case "choice":
      return writeChoice(part.parts, steps);
    case "repeated":
      return writeRepeated(part, steps);
    default:
      return part satisfies never;
  }
}

/** Jumps are forks both of whose ways are the same. */
function jump(): Step & { kind: "fork" } {
  return { kind: "fork", next: 0, other: 0 };
}

function lead(step: Step & { kind: "fork" }, next: number, other: number): void {
  step.next = next;
  step.other = other;
}

function writeChoice(parts: readonly Part[], steps: Step[]): void {
  const exits: (Step & { kind: "fork" })[] = [];
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    const fork = jump();
    if (!isLast) steps.push(fork);
    const begin = steps.length;
    writeSteps(part, steps);
    if (isLast) break;
    const exit = jump();
    steps.push(exit);
    exits.push(exit);
    lead(fork, begin, steps.length);
  }
  for (const exit of exits) lead(exit, steps.length, steps.length);
}

function writeRepeated({ part, least, most }: Part & { of: "repeated" }, steps: Step[]): void {
  if (least > MAX_STEPS || (most !== Number.POSITIVE_INFINITY && most > MAX_STEPS)) throw new NeedsBacktracking();
  const begun = steps.length;
  for (let count = 0; count < least; count += 1) {
    writeSteps(part, steps);
    // Nothing, however often.
    if (steps.length === begun) return;
  }
  if (most === Number.POSITIVE_INFINITY) {
    const fork = jump();
    steps.push(fork);
    const begin = steps.length;
    writeSteps(part, steps);
    const back = jump();
    steps.push(back);
    lead(back, begin - 1, begin - 1);
    lead(fork, begin, steps.length);
    return;
  }
  const forks: (Step & { kind: "fork" })[] = [];
  for (let count = least; count < most; count += 1) {
    const fork = jump();
    steps.push(fork);
    fork.next = steps.length;
    forks.push(fork);
    writeSteps(part, steps);
  }
  for (const fork of forks) fork.other = steps.length;
}

/** Reads a pattern that the engine has accepted, so nothing of it has to be checked. */
class PatternReader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  read(): Part {
    const choices: Part[] = [];
    for (;;) {
      const parts: Part[] = [];
      while (this.#at < this.#source.length && !this.#isNext("|") && !this.#isNext(")")) parts.push(this.#readTerm());
      choices.push({ of: "sequence", parts });
      if (!this.#isNext("|")) break;
      this.#at += 1;
    }
    const [only] = choices;
    return choices.length === 1 && only !== undefined ? only : { of: "choice", parts: choices };
  }

  #readTerm(): Part {
    const part = this.#readAtom();
    const [quantifier, least, comma, most] = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/.exec(this.#rest(20)) ?? [];
    if (quantifier === undefined) return part;
    this.#at += quantifier.length;
    const without = { of: "repeated", part } as const;
    if (quantifier.startsWith("*")) return { ...without, least: 0, most: Number.POSITIVE_INFINITY };
    if (quantifier.startsWith("+")) return { ...without, least: 1, most: Number.POSITIVE_INFINITY };
    if (quantifier.startsWith("?")) return { ...without, least: 0, most: 1 };
    const limit = comma === undefined ? Number(least) : most === "" ? Number.POSITIVE_INFINITY : Number(most);
    return { ...without, least: Number(least), most: limit };
  }

  #readAtom(): Part {
    if (this.#isNext("(")) return this.#readGroup();
    if (this.#isNext("[")) return this.#take(this.#classLength());
    if (this.#isNext("\\")) return this.#readEscape();
    const character = String.fromCodePoint(this.#source.codePointAt(this.#at) ?? 0);
    if (character === ".") return this.#take(1);
    this.#at += character.length;
    if (character === "^") return { of: "start" };
    if (character === "$") return { of: "end" };
    return { of: "character", fits: (other) => other === character };
  }

  #readGroup(): Part {
    const [opening] = /^\((?:\?:|\?<[^=!>][^>]*>)?/.exec(this.#rest(300)) ?? ["("];
    if (opening === "(" && this.#source[this.#at + 1] === "?") throw new NeedsBacktracking();
    this.#at += opening.length;
    const inside = this.read();
    this.#at += 1;
    return inside;
  }

  #readEscape(): Part {
    const rest = this.#rest(300);
    if (/^\\[bB1-9k]/.test(rest)) throw new NeedsBacktracking();
    const [whole] =
      /^\\(?:u\{[^}]*\}|u[dD][89abAB]..\\u[dD][c-fC-F]..|u....|x..|c.|[pP]\{[^}]*\}|[\s\S])/u.exec(rest) ?? [];
    return this.#take(whole?.length ?? 2);
  }

  /** One character by the engine's own word: on a single one it cannot go back. */
  #take(length: number): Part {
    const atom = new RegExp(`^${this.#source.slice(this.#at, this.#at + length)}$`, "u");
    this.#at += length;
    return { of: "character", fits: (character) => atom.test(character) };
  }

  #classLength(): number {
    let end = this.#at + 1;
    while (this.#source[end] !== "]") {
      if (end >= this.#source.length) throw new NeedsBacktracking();
      end += this.#source[end] === "\\" ? 2 : 1;
    }
    return end + 1 - this.#at;
  }

  #isNext(character: string): boolean {
    return this.#source[this.#at] === character;
  }

  #rest(length: number): string {
    return this.#source.slice(this.#at, this.#at + length);
  }
}
