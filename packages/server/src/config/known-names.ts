import { findNearest } from "@reprise/runtime";
import type { ConfigProblem } from "./config-problem.ts";
import { type Place, problemAt } from "./place.ts";

const MOST_NAMED = 10;

/** Says that a name is nobody's: what there is instead, and which of them was meant. */
export function unknownName(place: Place, name: string, known: readonly string[]): ConfigProblem {
  const more = known.length > MOST_NAMED ? ` and ${known.length - MOST_NAMED} more` : "";
  const list = known.length === 0 ? "none" : `${known.slice(0, MOST_NAMED).join(", ")}${more}`;
  const nearest = findNearest(name, known);
  const hint = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
  return problemAt(place, `is ${JSON.stringify(name)}, which is not there. Known: ${list}.${hint}`);
}

/** Something with an id that goes before another with the same id. */
export function withDefaults<Item extends { readonly id: string }>(
  own: readonly Item[],
  others: readonly Item[] = [],
): readonly Item[] {
  return [...own, ...others.filter(({ id }) => !own.some((item) => item.id === id))];
}
