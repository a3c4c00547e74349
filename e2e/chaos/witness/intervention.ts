import type { BusyPolicy, EventType } from "@reprise/contracts";
import type { SeededRandom } from "../random/seeded-random.ts";

/** What a client does to a run that is under way, and when: at the first event of a type it sees. */
export interface Intervention {
  readonly kind: "cancel" | BusyPolicy;
  readonly at: EventType;
}

const KINDS: Readonly<Record<Intervention["kind"], number>> = {
  cancel: 3,
  interrupt: 4,
  rollback: 3,
  steer: 4,
  enqueue: 2,
  continue: 2,
  reject: 1,
};

const MOMENTS: readonly [EventType, ...EventType[]] = [
  "run_start",
  "step_start",
  "reasoning_delta",
  "text_delta",
  "tool_call_start",
  "tool_call_delta",
  "tool_call_ready",
  "inference_complete",
  "step_end",
  "tool_call_done",
  "tool_call_resumed",
  "state_delta",
];

const FLOW_MOMENTS: readonly [EventType, ...EventType[]] = [
  "run_start",
  "node_start",
  "node_delta",
  "node_tool_call",
  "node_end",
  "node_retry",
  "node_wait",
  "node_resume",
];

/** How many runs are interfered with. */
const SHARE = 0.4;
/** How many of the interferences with a tree cancel it. */
const TREE_CANCELS = 0.5;

/** What a run is: an agent alone, one with runs below it, or a workflow. */
export type RunKind = "plain" | "tree" | "flow";

export function chooseIntervention(random: SeededRandom, run: RunKind): Intervention | undefined {
  if (!random.chance(SHARE)) return undefined;
  if (run === "flow") return { kind: random.pickWeighted(KINDS), at: random.pick(FLOW_MOMENTS) };
  const isTree = run === "tree";
  const kind = isTree && random.chance(TREE_CANCELS) ? "cancel" : random.pickWeighted(KINDS);
  // A call that waits for a run tells so as an activity.
  const at = isTree && random.chance(0.5) ? "activity_snapshot" : random.pick(MOMENTS);
  return { kind, at };
}
