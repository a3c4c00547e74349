import { type PoolSizes, ToolPools } from "./tool-pools.ts";

/** The pools of the runs this process works on. A run below another one at work here shares that one's. */
export class RunPools {
  readonly #sizes: PoolSizes;
  readonly #byRun = new Map<string, ToolPools>();

  constructor(sizes: PoolSizes) {
    this.#sizes = sizes;
  }

  open(runId: string, parentRunId: string | undefined): ToolPools {
    const parent = parentRunId === undefined ? undefined : this.#byRun.get(parentRunId);
    const pools = parent?.forkForSubagent() ?? ToolPools.create(this.#sizes);
    this.#byRun.set(runId, pools);
    return pools;
  }

  /** Forgets the pools of a run, unless somebody works on it anew. */
  close(runId: string, pools: ToolPools): void {
    if (this.#byRun.get(runId) === pools) this.#byRun.delete(runId);
  }
}
