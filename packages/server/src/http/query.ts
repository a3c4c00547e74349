import { clampLimit } from "@reprise/contracts";
import { badRequest } from "./http-refusal.ts";

/** The query parameters of a request. One that is empty was not given. */
export class Query {
  readonly #parameters: URLSearchParams;

  constructor(url: string) {
    this.#parameters = new URL(url).searchParams;
  }

  text(name: string): string | undefined {
    return this.#parameters.get(name) || undefined;
  }

  wholeNumber(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(value)) throw badRequest(`${name} is not a whole number`);
    return value;
  }

  oneOf<Value extends string>(name: string, known: readonly Value[]): Value | undefined {
    const text = this.text(name);
    const value = known.find((candidate) => candidate === text);
    if (text !== undefined && value === undefined) throw badRequest(`${name} is one of ${known.join(", ")}`);
    return value;
  }

  flag(name: string): boolean {
    return this.oneOf(name, ["true", "false"]) === "true";
  }

  /** `offset` and `limit`, with the limit clamped to what a list may give at once. */
  page(): { readonly offset: number; readonly limit: number } {
    return { offset: Math.max(this.wholeNumber("offset") ?? 0, 0), limit: clampLimit(this.wholeNumber("limit")) };
  }

  /** The given ones of some texts, by name. */
  texts<Name extends string>(...names: readonly Name[]): { readonly [Key in Name]?: string } {
    return pickGiven(names, (name) => this.text(name));
  }

  /** The given ones of some whole numbers, by name. */
  wholeNumbers<Name extends string>(...names: readonly Name[]): { readonly [Key in Name]?: number } {
    return pickGiven(names, (name) => this.wholeNumber(name));
  }
}

function pickGiven<Name extends string, Value>(
  names: readonly Name[],
  read: (name: Name) => Value | undefined,
): { readonly [Key in Name]?: Value } {
  const picked: { [Key in Name]?: Value } = {};
  for (const name of names) {
    const value = read(name);
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
