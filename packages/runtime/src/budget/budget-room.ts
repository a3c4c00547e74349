import type { Allotment, Amount, Budget } from "@reprise/contracts";

/** What budgets count. */
export const UNITS = ["microcents", "tokens", "tool_calls"] as const;
export type Unit = (typeof UNITS)[number];

export const NOTHING: Amount = { microcents: 0, tokens: 0 };

export function plus(one: Amount, other: Amount): Amount {
  const tool_calls = (one.tool_calls ?? 0) + (other.tool_calls ?? 0);
  return {
    microcents: one.microcents + other.microcents,
    tokens: one.tokens + other.tokens,
    ...(tool_calls > 0 && { tool_calls }),
  };
}

/** What is spent and spoken for of an allotment, or of the budget itself: also the unused parts of the allotments below that are held. */
export function committedOf(budget: Budget, allotment: string | undefined, unit: Unit): number {
  return usedOf(budget, allotment, unit) + setAsideBelow(budget, allotment, unit);
}

/** What is left of one unit for the runs of an allotment, and the allotment that limits it; no one when the budget itself does. */
export interface Left {
  readonly left: number;
  readonly by: string | undefined;
}

/**
 * Walks up from an allotment. A limit that is held was set aside above, so nothing above it has to be asked; one that is not held is a limit
 * among others.
 */
export function leftFor(
  budget: Budget,
  allotment: string | undefined,
  unit: Unit,
  within: "allotments" | "all" = "all",
): Left {
  let least: Left = { left: Number.POSITIVE_INFINITY, by: undefined };
  for (let id = allotment; id !== undefined; ) {
    const part: Allotment | undefined = budget.allotments[id];
    if (part === undefined) break;
    const limit = part[`limit_${unit}`];
    if (limit !== null) {
      const left = limit - committedOf(budget, id, unit);
      if (left < least.left) least = { left, by: id };
      if (part.held) return least;
    }
    id = part.above;
  }
  const limit = budget[`limit_${unit}`];
  if (within === "allotments" || limit === null) return least;
  const left = limit - committedOf(budget, undefined, unit);
  return left < least.left ? { left, by: undefined } : least;
}

/** What is spent and reserved by the runs of an allotment and of those below it. */
function usedOf(budget: Budget, allotment: string | undefined, unit: Unit): number {
  const spent = allotment === undefined ? budget.spent : (budget.allotments[allotment]?.spent ?? NOTHING);
  const reserved = Object.values(budget.reserved).filter(
    (reservation) => allotment === undefined || isWithin(budget, reservation.allotment, allotment),
  );
  return reserved.reduce((sum, reservation) => sum + (reservation[unit] ?? 0), spent[unit] ?? 0);
}

function isWithin({ allotments }: Budget, inner: string | undefined, outer: string): boolean {
  for (let id = inner; id !== undefined; id = allotments[id]?.above) if (id === outer) return true;
  return false;
}

/** The unused parts of the allotments right below one. */
function setAsideBelow(budget: Budget, allotment: string | undefined, unit: Unit): number {
  let sum = 0;
  for (const [id, part] of Object.entries(budget.allotments)) {
    if (part.above !== allotment) continue;
    const limit = part.held ? part[`limit_${unit}`] : null;
    // An allotment without this limit takes from above; those below it may have one.
    sum += limit === null ? setAsideBelow(budget, id, unit) : Math.max(0, limit - usedOf(budget, id, unit));
  }
  return sum;
}
