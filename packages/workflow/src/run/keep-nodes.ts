import type { RunPlan } from "../plan/run-plan.ts";
import { isSettled, type NodeRecord } from "./workflow-state.ts";

/**
 * The records that are kept when a workflow starts again from a node: of everything that is completed or skipped and does not depend on it. The same run
 * also keeps what is open. Undefined when the plan has no such node.
 */
export function keepNodes(
  { vertices }: Pick<RunPlan, "vertices">,
  records: { readonly [path: string]: NodeRecord },
  from: string,
  { isSameRun = false }: { readonly isSameRun?: boolean } = {},
): { readonly [path: string]: NodeRecord } | undefined {
  const known = new Map(vertices.map((vertex) => [vertex.id, vertex]));
  if (!known.has(from)) return undefined;
  const again = new Set([from]);
  // A set that grows while it is walked.
  for (const id of again) for (const dependent of known.get(id)?.dependents ?? []) again.add(dependent);
  const isKept = (path: string, record: NodeRecord): boolean => {
    const [id = path] = path.split("[", 1);
    const owner = records[id] ?? record;
    return known.has(id) && !again.has(id) && (isSameRun || isSettled(owner)) && owner.status !== "failed";
  };
  return Object.fromEntries(Object.entries(records).filter(([path, record]) => isKept(path, record)));
}
