import { type Json, parseJson } from "@reprise/state";
import { usageFailure } from "../output/failure.ts";

/** A whole number of an option. */
export function wholeNumber(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw usageFailure(`${flag} takes a whole number, not ${JSON.stringify(text)}.`);
}

/** JSON of an option. */
export function jsonValue(flag: string, text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    return parseJson(text);
  } catch (error) {
    throw usageFailure(`${flag} takes JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** One of a few words. */
export function oneOf<Word extends string>(what: string, text: string, words: readonly Word[]): Word {
  const found = words.find((word) => word === text);
  if (found === undefined) throw usageFailure(`${what} is ${words.join(", ")}, not ${JSON.stringify(text)}.`);
  return found;
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time from now on, as in `90m`, `12h` or `30d`, in milliseconds. */
export function duration(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits, unit] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const milliseconds = UNITS[unit ?? ""];
  if (digits === undefined || milliseconds === undefined) {
    throw usageFailure(`${flag} takes a time such as 90m, 12h or 30d, not ${JSON.stringify(text)}.`);
  }
  return Number(digits) * milliseconds;
}
