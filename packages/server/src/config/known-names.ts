import { findNearest, type ShapePath } from "@reprise/contracts/shape";
import { type ConfigProblem, problemAt } from "./config-problem.ts";

const MOST_NAMED = 10;

/** Reports an unknown name. */
export function unknownName(path: ShapePath, name: string, known: readonly string[]): ConfigProblem {
  return problemAt(path, ` is ${JSON.stringify(name)}, which is not there. ${sayKnown(name, known)}`);
}

/** What there is instead of a name, and which of it was meant. */
export function sayKnown(name: string, known: readonly string[]): string {
  const more = known.length > MOST_NAMED ? ` and ${known.length - MOST_NAMED} more` : "";
  const list = known.length === 0 ? "none" : `${known.slice(0, MOST_NAMED).join(", ")}${more}`;
  const nearest = findNearest(name, known);
  return `Known: ${list}.${nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`}`;
}

/** Something with an id that goes before another with the same id. */
export function withDefaults<Item extends { readonly id: string }>(
  own: readonly Item[],
  others: readonly Item[] = [],
): readonly Item[] {
  return [...own, ...others.filter(({ id }) => !own.some((item) => item.id === id))];
}
