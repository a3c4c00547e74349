import type { ChildStatus } from "@reprise/contracts";
import { type ActionCreators, defineState, type StateDefinition } from "@reprise/state";

/** A run below, as its thread remembers it. */
export interface SubAgent {
  readonly agent_id: string;
  readonly thread_id: string;
  readonly status: ChildStatus;
  readonly background?: true;
  readonly error?: string;
}

/** The runs that a thread started, by their ids. */
export type SubAgents = { readonly [runId: string]: SubAgent };

/** More runs than this are forgotten, the oldest that are over first. They can still be looked up by their ids. */
const MAX_REMEMBERED = 200;

export const subAgents: StateDefinition<SubAgents> & ActionCreators<{ note: [runId: string, run: SubAgent] }> =
  defineState({
    path: "sub_agents",
    initial: (): SubAgents => ({}),
    actions: {
      note: (runs, runId: string, run: SubAgent) => bound({ ...runs, [runId]: run }),
    },
  });

export function isOver({ status }: Pick<SubAgent, "status">): boolean {
  return status === "completed" || status === "failed" || status === "stopped";
}

function bound(runs: SubAgents): SubAgents {
  const entries = Object.entries(runs);
  const tooMany = entries.length - MAX_REMEMBERED;
  if (tooMany <= 0) return runs;
  const forgotten = new Set(
    entries
      .filter(([, run]) => isOver(run))
      .slice(0, tooMany)
      .map(([runId]) => runId),
  );
  return Object.fromEntries(entries.filter(([runId]) => !forgotten.has(runId)));
}
