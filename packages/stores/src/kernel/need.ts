import { type Abilities, type AgentAbility, activeAgentOf, isOwnQuestion } from "@reprise/contracts";
import { parseJson } from "@reprise/state";
import type { Claimer } from "./request.ts";
import type { RunRow } from "./rows.ts";

/** What it takes to do the next work of a thread. */
export interface Need {
  readonly agent: string;
  /** The definition that an open run works with. */
  readonly definition?: string;
  /** The versions of the tools that its open calls are bound to, by tool id. */
  readonly tools?: Readonly<Record<string, string>>;
  /** Whether the run is to be cancelled: then it can be ended without its agent. */
  readonly ends?: true;
}

/** A need as the work index has it. The empty text is a need that has to be looked at. */
export type NeedText = string;

export const UNKNOWN_NEED: NeedText = "";

/** The same need is always the same text. Escapes keep every text storable. */
export function encodeNeed({ agent, definition, tools = {}, ends }: Need): NeedText {
  const sorted = Object.entries(tools).sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify({
    agent,
    ...(definition !== undefined && { definition }),
    ...(sorted.length > 0 && { tools: Object.fromEntries(sorted) }),
    ...(ends && { ends }),
  });
}

export function decodeNeed(text: NeedText): Need | undefined {
  // Written by `encodeNeed`.
  return text === UNKNOWN_NEED ? undefined : (parseJson(text) as unknown as Need);
}

/** The need of a run that no worker has. */
export function needOfRun({ record, open_calls }: RunRow, isToBeCancelled: boolean): Need {
  const { definition } = record;
  const agent = activeAgentOf(record);
  const bound = open_calls.filter((call) => call.tool_version !== "" && !isOwnQuestion(call));
  return {
    agent,
    ...(definition !== undefined && { definition }),
    ...(bound.length > 0 && { tools: Object.fromEntries(bound.map((call) => [call.tool_id, call.tool_version])) }),
    ...(isToBeCancelled && { ends: true }),
  };
}

/** Whether abilities meet a need in every respect: then it does not matter who else is there. */
export function meetsNeed({ agent, definition }: Need, abilities: Abilities): boolean {
  const own = abilityFor(agent, abilities);
  return own !== undefined && (definition === undefined || own.definition === definition);
}

/** Whether a claimer may do what needs this: it can in every respect, or it was chosen among those that are there. */
export function isFor({ needs, abilities }: Claimer, need: Need): boolean {
  return abilities === undefined || meetsNeed(need, abilities) || needs.includes(encodeNeed(need));
}

/**
 * Whether a worker may do work, given the abilities of the other live ones: work goes to those that meet its need best.
 */
export function mayTake(need: Need, own: Abilities, others: readonly Abilities[]): boolean {
  if (meetsNeed(need, own)) return true;
  const ability = abilityFor(need.agent, own);
  if (ability === undefined) return need.ends === true && !others.some((other) => hasAgent(need, other));
  if (others.some((other) => meetsNeed(need, other))) return false;
  return hasTools(need, ability) || !others.some((other) => hasTools(need, abilityFor(need.agent, other)));
}

export function hasAgent({ agent }: Need, abilities: Abilities): boolean {
  return abilityFor(agent, abilities) !== undefined;
}

function hasTools({ tools = {} }: Need, ability: AgentAbility | undefined): boolean {
  if (ability === undefined) return false;
  return Object.entries(tools).every(
    ([id, version]) => Object.hasOwn(ability.tools, id) && ability.tools[id] === version,
  );
}

function abilityFor(agent: string, abilities: Abilities): AgentAbility | undefined {
  return Object.hasOwn(abilities, agent) ? abilities[agent] : undefined;
}
