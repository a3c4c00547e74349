import type { PrunedStore, PrunedThreads, Store } from "@reprise/contracts";
import { ENTRIES_AT_ONCE } from "../kernel/prune.ts";
import type { StoreDriver } from "./driver.ts";

/** A database as it is pruned. */
export function createPrunedStore(driver: StoreDriver, forTenant: Store["forTenant"]): PrunedStore {
  return {
    now: () => driver.now(),
    pageThreads: (after, limit) => driver.reader.pageThreads(after, limit),
    forTenant,
    async pruneThread({ history, ...pruning }): Promise<PrunedThreads> {
      const sealed = history === null ? null : { up_to: history.up_to, state: JSON.stringify(history.state) };
      const first = await driver.execute({ operation: "prune_thread", ...pruning, history: sealed });
      let entries = first.entries;
      for (let more = entries; more === ENTRIES_AT_ONCE; entries += more) {
        more = (await driver.execute({ operation: "prune_thread", ...pruning, history: null })).entries;
      }
      return { ...first, entries };
    },
  };
}
