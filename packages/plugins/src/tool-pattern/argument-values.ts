import { canonicalJson } from "@reprise/contracts";
import type { Json } from "@reprise/state";

/** A step into arguments: a key, an index, every key of an object, or every item of an array. */
export type PathStep = string | number | typeof EVERY_KEY | typeof EVERY_ITEM;

export const EVERY_KEY: unique symbol = Symbol("every key");
export const EVERY_ITEM: unique symbol = Symbol("every item");

/** A path into arguments, with the text it was written as. */
export interface ArgumentPath {
  readonly source: string;
  readonly steps: readonly PathStep[];
}

/** A text that is longer is not matched: a call must not buy time with the size of its arguments. */
export const MAX_TEXT = 100_000;

/** More values than this at one path are not looked at. */
const MAX_VALUES = 10_000;

/** A value that cannot be looked at, because it is too large or too deep. */
export const UNREADABLE: unique symbol = Symbol("unreadable");

export type ArgumentText = string | typeof UNREADABLE;

/** The arguments of one call as texts. Every rule that asks for the same path gets the same list. */
export class ArgumentValues {
  readonly #arguments: Json;
  readonly #byPath = new Map<string, readonly ArgumentText[]>();
  #primary: ArgumentText | undefined;
  // Most rules about a tool ask for the same field.
  #lastSource: string | undefined;
  #lastTexts: readonly ArgumentText[] = [];

  constructor(given: Json) {
    this.#arguments = given;
  }

  /** The subject of a pattern without a field: the only argument of the call, or all arguments as JSON. */
  primary(): ArgumentText {
    if (this.#primary === undefined) {
      const given = this.#arguments;
      const values = typeof given === "object" && given !== null && !Array.isArray(given) ? Object.values(given) : [];
      this.#primary = toText(values.length === 1 ? (values[0] ?? null) : given);
    }
    return this.#primary;
  }

  /** The texts at a path; several when it has wildcards, none when the field is missing. */
  at(path: ArgumentPath): readonly ArgumentText[] {
    if (path.source === this.#lastSource) return this.#lastTexts;
    let texts = this.#byPath.get(path.source);
    if (texts === undefined) {
      texts = collect(this.#arguments, path.steps);
      this.#byPath.set(path.source, texts);
    }
    this.#lastSource = path.source;
    this.#lastTexts = texts;
    return texts;
  }
}

function collect(given: Json, steps: readonly PathStep[]): readonly ArgumentText[] {
  let values: readonly Json[] = [given];
  for (const step of steps) {
    const next: Json[] = [];
    for (const value of values) {
      for (const item of childrenOf(value, step)) {
        if (next.length >= MAX_VALUES) return [UNREADABLE];
        next.push(item);
      }
    }
    values = next;
  }
  return values.map(toText);
}

/** Own properties only: what a prototype has was not given by the model. */
function childrenOf(value: Json, step: PathStep): readonly Json[] {
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) {
    if (step === EVERY_ITEM) return value;
    return typeof step === "number" && step < value.length ? [value[step]] : [];
  }
  if (step === EVERY_KEY) return Object.values(value);
  if (typeof step !== "string" || !Object.hasOwn(value, step)) return [];
  // An own property of a JSON object.
  return [(value as { readonly [key: string]: Json })[step] as Json];
}

function toText(value: Json): ArgumentText {
  if (typeof value === "string") return value;
  try {
    return canonicalJson(value);
  } catch {
    // Nested too deeply for the stack.
    return UNREADABLE;
  }
}
