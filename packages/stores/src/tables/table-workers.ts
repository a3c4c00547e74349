import type { WorkerRow, WorkerRows } from "../shell/worker-rows.ts";

/** Workers in memory: for stores that only one process can reach. What it knows of them ends with it, and so do they. */
export class TableWorkers {
  readonly #rows = new Map<string, WorkerRow>();

  /** The rows at a time of the store's clock. */
  at(now: () => number): WorkerRows {
    return {
      list: async () => [...this.#rows.values()],
      put: async ({ owner, session, lease_ms, abilities }, replaced) => {
        const found = this.#rows.get(owner);
        if ((found?.session ?? null) !== replaced) return false;
        const row = { owner, session, until: now() + lease_ms, abilities: abilities ?? found?.abilities ?? "{}" };
        this.#rows.set(owner, row);
        return true;
      },
      remove: async (owner, session) => {
        if (this.#rows.get(owner)?.session === session) this.#rows.delete(owner);
      },
    };
  }
}
