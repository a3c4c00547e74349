import type { AgentEvent } from "@reprise/contracts";

/** A run below the one at the top. */
interface RunBelow {
  /** The call that started it. */
  readonly call_id: string;
  /** No call waits for one that is `aside`. */
  readonly standing: "working" | "waiting" | "aside" | "over";
}

/** How a run and the runs below it stand, as far as their events told. Plain data. */
export interface TreeStanding {
  /** The run at the top waits. */
  readonly isWaiting: boolean;
  /** Every run below that was started. */
  readonly below: Readonly<Record<string, RunBelow>>;
}

export const INITIAL_STANDING: TreeStanding = { isWaiting: false, below: {} };

/** Takes an event of the tree in. An event from below has its lineage. Pure. */
export function advanceStanding(standing: TreeStanding, event: AgentEvent): TreeStanding {
  switch (event.type) {
    case "child_run_progress": {
      const { child_run_id, status } = event.data;
      // A run that was cancelled before it began has no other event.
      return status === "running" || status === "waiting" ? standing : put(standing, child_run_id, "over");
    }
    case "child_run_start": {
      const { id: call_id, child_run_id, background = false } = event.data;
      const awake = wake(standing, event);
      if (awake.below[child_run_id] !== undefined) return awake;
      const isAside = background || awake.below[event.run_id]?.standing === "aside";
      const child: RunBelow = { call_id, standing: isAside ? "aside" : "working" };
      return { ...awake, below: { ...awake.below, [child_run_id]: child } };
    }
    case "tool_call_done":
      return event.data.suspended === undefined
        ? leaveAside(wake(standing, event), event.data.id)
        : wake(standing, event);
    case "run_finish": {
      const isWaiting = event.data.termination.type === "suspended";
      if (event.lineage !== undefined) return put(standing, event.run_id, isWaiting ? "waiting" : "over");
      return isWaiting === standing.isWaiting ? standing : { ...standing, isWaiting };
    }
    default:
      return wake(standing, event);
  }
}

/** Whatever else happens in a run, it is at work. */
function wake(standing: TreeStanding, { run_id, lineage }: AgentEvent): TreeStanding {
  if (lineage !== undefined) return put(standing, run_id, "working");
  return standing.isWaiting ? { ...standing, isWaiting: false } : standing;
}

function put(standing: TreeStanding, runId: string, next: RunBelow["standing"]): TreeStanding {
  const child = standing.below[runId];
  if (child === undefined || child.standing === next || (child.standing === "aside" && next !== "over"))
    return standing;
  return { ...standing, below: { ...standing.below, [runId]: { ...child, standing: next } } };
}

/** A call that has its result waits for no run any more. */
function leaveAside(standing: TreeStanding, callId: string): TreeStanding {
  const left = Object.entries(standing.below).filter(([, child]) => child.call_id === callId);
  return left.reduce((known, [runId]) => put(known, runId, "aside"), standing);
}

type Question = { readonly run_id: string };

/** Whether a run waits for the answer to a question of its own. */
export function asksItself({ isWaiting, below }: TreeStanding, questions: readonly Question[]): boolean {
  return isWaiting && questions.some(({ run_id }) => below[run_id] === undefined);
}

/** Whether calls wait for runs below of which none works, and some ask. */
export function asksBelow({ below }: TreeStanding, questions: readonly Question[]): boolean {
  if (questions.length === 0 || Object.values(below).some(({ standing }) => standing === "working")) return false;
  return questions.some(({ run_id }) => below[run_id]?.standing === "waiting");
}
