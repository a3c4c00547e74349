import type { Store } from "@reprise/contracts";
import type { StoreTime } from "../thread/store-time.ts";
import type { LiveBus } from "./live-bus.ts";
import type { Signals } from "./signals.ts";
import type { StoppedRuns } from "./stopped-runs.ts";

/** Where the events of runs come from: the store, the owner in this process, and signals of other processes. */
export interface JournalSources {
  readonly store: Store;
  readonly time: Pick<StoreTime, "now">;
  readonly bus: LiveBus;
  readonly signals: Signals;
  readonly stopped: StoppedRuns;
  /** Aborted when the runtime is closed. */
  readonly closed: AbortSignal;
}
