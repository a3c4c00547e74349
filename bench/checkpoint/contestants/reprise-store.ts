import type { Store, TenantStore } from "../../../packages/contracts/src/index.ts";
import type { Contestant } from "../contestant.ts";
import { playRun } from "../load/play-run.ts";
import type { ScriptMaker } from "../load/record-run.ts";

/** A store for one sample. */
export interface OpenedStore {
  readonly store: Store;
  close(): Promise<void>;
}

/** Our store alone: what a runtime writes in a run, written by a bare loop. */
export function repriseStore(name: string, makeScript: ScriptMaker, open: () => Promise<OpenedStore>): Contestant {
  return {
    name,
    note: "`submit` and three `commit`s as the runtime makes them, sealed, checked and planned",
    async open() {
      const { store, close } = await open();
      const tenant = store.forTenant("default");
      return {
        run: (onCommit) => playRun(tenant, makeScript(), onCommit),
        countKept: () => countVersions(tenant),
        close,
      };
    },
  };
}

/** A version of a thread is a commit. */
export async function countVersions(tenant: TenantStore): Promise<number> {
  const { items } = await tenant.listThreads({ limit: 200 });
  return items.reduce((sum, { version }) => sum + version, 0);
}
