import type { Workflow } from "../document/workflow-document.ts";

const DEFAULT_MAX_PARALLEL = 10;

/** How many nodes of a workflow work at the same time. */
export function maxParallelOf({ max_parallel = DEFAULT_MAX_PARALLEL }: Pick<Workflow, "max_parallel">): number {
  return max_parallel;
}
