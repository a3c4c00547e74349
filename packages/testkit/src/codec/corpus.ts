import type { Json } from "@reprise/state";
import { createSeededRandom } from "../env/seeded-random.ts";
import { HALF_CHARACTERS, HOSTILE_KEYS, HOSTILE_NUMBERS, HOSTILE_TEXTS } from "./hostile-texts.ts";

/** As deep as JSON may be at our borders. */
const DEEPEST = 64;

/** Values that follow from a seed: hostile ones by themselves, in the middle of others, repeated, long and deep. */
export class Corpus {
  readonly #random: () => number;
  readonly #said: string[] = [];
  /** How many values were handed out. */
  taken = 0;

  constructor(seed: number) {
    this.#random = createSeededRandom(seed);
  }

  text(): string {
    this.taken += 1;
    const text = this.#text();
    this.#said.push(text);
    return text;
  }

  /** Any JSON, some of it as deep as it may be. */
  json(): Json {
    this.taken += 1;
    return this.#chance(0.02) ? this.#deep() : this.#json(3);
  }

  /** An object, as metadata and state are. */
  record(): { readonly [key: string]: Json } {
    this.taken += 1;
    return this.#record(3);
  }

  /** Cuts a text anywhere, also through the middle of a character: as a stream of deltas comes. */
  cut(text: string): readonly string[] {
    const pieces: string[] = [];
    for (let from = 0; from < text.length; ) {
      const to = from + 1 + this.below(Math.max(text.length / 3, 4));
      pieces.push(text.slice(from, to));
      from = to;
    }
    return pieces;
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[this.below(items.length)] ?? items[0];
  }

  #chance(probability: number): boolean {
    return this.#random() < probability;
  }

  #one(texts: readonly string[]): string {
    return texts[this.below(texts.length)] ?? "";
  }

  #text(): string {
    // Texts that were said before are what a store points at instead of keeping them again.
    if (this.#said.length > 0 && this.#chance(0.15)) return this.#one(this.#said);
    if (this.#chance(0.02)) return this.#one(HALF_CHARACTERS);
    if (this.#chance(0.003)) return this.#one(HOSTILE_TEXTS).repeat(20_000 + this.below(1_000));
    const parts = Array.from({ length: 1 + this.below(4) }, () =>
      this.#chance(0.6) ? this.#one(HOSTILE_TEXTS) : this.#anyCharacters(),
    );
    return parts.join("");
  }

  #anyCharacters(): string {
    const codes = Array.from({ length: this.below(12) }, () => {
      const code = this.#chance(0.5) ? this.below(0x3000) : this.below(0x110000);
      return code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
    });
    return String.fromCodePoint(...codes);
  }

  #json(depth: number): Json {
    const kind = this.below(depth > 0 ? 8 : 5);
    if (kind === 0) return this.pick([null, true, false]);
    if (kind === 1) return HOSTILE_NUMBERS[this.below(HOSTILE_NUMBERS.length)] ?? 0;
    if (kind === 2) return (this.#random() - 0.5) * 10 ** (this.below(40) - 20);
    if (kind <= 4) return this.#text();
    if (kind <= 5) return Array.from({ length: this.below(5) }, () => this.#json(depth - 1));
    return this.#record(depth);
  }

  #record(depth: number): { readonly [key: string]: Json } {
    const keys = Array.from({ length: this.below(6) }, () =>
      this.#chance(0.8) ? this.#one(HOSTILE_KEYS) : this.#text().slice(0, 50),
    );
    // Not by assignment: `__proto__` is to be a key like any other.
    return Object.fromEntries(keys.map((key) => [key, this.#json(depth - 1)]));
  }

  #deep(): Json {
    let value: Json = this.#json(0);
    for (let depth = 1; depth < DEEPEST; depth += 1) {
      value = this.#chance(0.5) ? [value] : Object.fromEntries([[this.#one(HOSTILE_KEYS), value]]);
    }
    return value;
  }
}
