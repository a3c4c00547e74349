import type { AgentEvent } from "@reprise/contracts";

export type BranchWord = "running" | "waiting" | "done" | "failed" | "cancelled";

/** A run below another one. */
export interface Branch {
  readonly runId: string;
  readonly agentId: string;
  readonly parentId: string;
  readonly word: BranchWord;
  readonly steps: number;
  readonly costMicrocents: number;
  readonly from: number;
  readonly to: number | undefined;
}

/** Siblings of one agent, folded when there are many. */
export interface BranchGroup {
  readonly agentId: string;
  readonly branches: readonly Branch[];
  readonly isFolded: boolean;
}

/** More siblings of one agent than this are shown as one line to open. */
const MOST_ALIKE = 6;

/** The runs below a run, in the order in which they began. */
export function foldBranches(events: readonly AgentEvent[]): readonly Branch[] {
  const branches = new Map<string, { -readonly [Key in keyof Branch]: Branch[Key] }>();
  for (const event of events) {
    const time = event.timestamp_ms;
    if (event.type === "child_run_start") {
      const { child_run_id: runId, agent_id: agentId } = event.data;
      if (branches.has(runId)) continue;
      const parentId = event.run_id;
      branches.set(runId, {
        runId,
        agentId,
        parentId,
        word: "running",
        steps: 0,
        costMicrocents: 0,
        from: time,
        to: undefined,
      });
      continue;
    }
    const branch = branches.get(event.run_id);
    if (branch === undefined) continue;
    if (event.type === "step_start") branch.steps += 1;
    if (event.type === "cost_recorded") branch.costMicrocents += event.data.cost_microcents;
    if (event.type === "run_start") branch.word = "running";
    if (event.type !== "run_finish") continue;
    const { type } = event.data.termination;
    branch.to = type === "suspended" ? undefined : time;
    branch.word =
      type === "suspended" ? "waiting" : type === "error" ? "failed" : type === "cancelled" ? "cancelled" : "done";
  }
  return [...branches.values()];
}

/** The runs right below one, by agent. */
export function groupBranches(branches: readonly Branch[], parentId: string): readonly BranchGroup[] {
  const groups = Map.groupBy(
    branches.filter((branch) => branch.parentId === parentId),
    ({ agentId }) => agentId,
  );
  return [...groups].map(([agentId, own]) => ({ agentId, branches: own, isFolded: own.length > MOST_ALIKE }));
}

/** How many of some runs stand how, as in `48 done, 2 failed`. */
export function countWords(branches: readonly Branch[]): readonly (readonly [word: BranchWord, count: number])[] {
  const counts = Map.groupBy(branches, ({ word }) => word);
  const order: readonly BranchWord[] = ["failed", "waiting", "running", "cancelled", "done"];
  return order.flatMap((word) => {
    const count = counts.get(word)?.length ?? 0;
    return count === 0 ? [] : [[word, count] as const];
  });
}
