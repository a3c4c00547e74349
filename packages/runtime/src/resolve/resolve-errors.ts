import { type ErrorCode, RepriseError } from "@reprise/contracts";
import { findNearest } from "@reprise/contracts/shape";

/** Something an agent names that is not registered. */
export interface Missing {
  readonly code: ErrorCode;
  readonly agentId: string;
  /** What it would have been: `model`, `plugin`, … */
  readonly what: string;
  readonly id: string;
  readonly known: readonly string[];
  /** How to have it. */
  readonly remedy: string;
}

export function missing({ code, agentId, what, id, known, remedy }: Missing): RepriseError {
  const message = `Agent ${JSON.stringify(agentId)} names the ${what} ${JSON.stringify(id)}, which is not registered.`;
  return new RepriseError(code, `${message}${sayKnown(id, known)} ${remedy}`, { details: { agent_id: agentId, id } });
}

/** An agent that cannot be resolved for a reason of its own. */
export function unresolvable(
  code: ErrorCode,
  agentId: string,
  problem: string,
  details: Readonly<Record<string, unknown>> = {},
  cause?: unknown,
): RepriseError {
  return new RepriseError(code, `Agent ${JSON.stringify(agentId)}: ${problem}`, {
    details: { agent_id: agentId, ...details },
    cause,
  });
}

const MOST_NAMED = 10;

/** What there is instead: the nearest name, and some of the others. */
export function sayKnown(id: string, known: readonly string[]): string {
  if (known.length === 0) return " Known: none.";
  const nearest = findNearest(id, known);
  const more = known.length > MOST_NAMED ? ` and ${known.length - MOST_NAMED} more` : "";
  const hint = nearest === undefined ? "" : ` Did you mean ${JSON.stringify(nearest)}?`;
  return ` Known: ${known.slice(0, MOST_NAMED).join(", ")}${more}.${hint}`;
}
