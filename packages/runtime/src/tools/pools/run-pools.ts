import type { PoolSizes } from "../../run/limits.ts";
import { tenantKey } from "../../thread/tenant-key.ts";
import { ToolPools } from "./tool-pools.ts";

/** The pools of the runs this process works on. A run below another one at work here shares that one's. */
export class RunPools {
  readonly #sizes: PoolSizes;
  readonly #byRun = new Map<string, ToolPools>();

  constructor(sizes: PoolSizes) {
    this.#sizes = sizes;
  }

  open(tenant: string, runId: string, parentRunId: string | undefined): ToolPools {
    const parent = parentRunId === undefined ? undefined : this.#byRun.get(tenantKey(tenant, parentRunId));
    const pools = parent?.forkForSubagent() ?? ToolPools.create(this.#sizes);
    this.#byRun.set(tenantKey(tenant, runId), pools);
    return pools;
  }

  /** Forgets the pools of a run, unless it is being worked on again. */
  close(tenant: string, runId: string, pools: ToolPools): void {
    const key = tenantKey(tenant, runId);
    if (this.#byRun.get(key) === pools) this.#byRun.delete(key);
  }
}
