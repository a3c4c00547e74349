import type { Clock } from "@reprise/contracts";
import type { Signals } from "./signals.ts";
import type { WorkIndex } from "./work-index.ts";

/** What all tenants of one store share. */
export interface MemoryPorts {
  readonly clock: Pick<Clock, "now">;
  readonly work: WorkIndex;
  readonly signals: Signals;
}
