import type { ChildStatus } from "@reprise/contracts";
import { isPlainObject } from "@reprise/contracts/shape";
import { type ActionCreators, defineLattice, defineState, type StateDefinition } from "@reprise/state";
import { boundRuns } from "../runs-below/known-runs.ts";

/** A run below, as its thread remembers it. */
export type SubAgent = {
  readonly agent_id: string;
  readonly thread_id: string;
  readonly status: ChildStatus;
  readonly background?: true;
  readonly error?: string;
};

/** The runs that a thread started, by their ids. */
export type SubAgents = { readonly [runId: string]: SubAgent };

/** Calls that start runs at the same time each add their own. Of one run, the later status counts. */
const merging = defineLattice<SubAgents>({
  name: "SubAgents",
  // Written by the actions below alone: no client may set the state of a plugin.
  parse: (value) => (isPlainObject(value) ? (value as SubAgents) : undefined),
  merge(left, right) {
    const merged: Record<string, SubAgent> = { ...left };
    for (const [runId, run] of Object.entries(right)) {
      const known = Object.hasOwn(left, runId) ? left[runId] : undefined;
      merged[runId] = known === undefined || isLater(run, known) ? run : known;
    }
    return merged;
  },
});

export const subAgents: StateDefinition<{ runs: SubAgents }> &
  ActionCreators<{ note: [runId: string, run: SubAgent]; forget: [] }> = defineState({
  path: "sub_agents",
  initial: (): { runs: SubAgents } => ({ runs: {} }),
  fields: { runs: { lattice: merging } },
  actions: {
    note: ({ runs }, runId: string, run: SubAgent) => ({ runs: { ...runs, [runId]: run } }),
    forget: ({ runs }) => ({ runs: boundRuns(runs) }),
  },
});

const ORDER: readonly ChildStatus[] = ["running", "waiting", "stopped", "failed", "completed"];

function isLater(run: SubAgent, known: SubAgent): boolean {
  const later = ORDER.indexOf(run.status) - ORDER.indexOf(known.status);
  // Ties by the text, so that the order of two changes never matters.
  return later > 0 || (later === 0 && JSON.stringify(run) > JSON.stringify(known));
}
