import type { FaultPlan } from "../nemesis/nemesis.ts";
import type { StoreServer } from "../stores/store-server.ts";
import type { ClientKind } from "../witness/client.ts";

/** How clients reach workers: by the rig's own socket, over HTTP, or half of them each way. */
export type Clients = ClientKind | "both";

export const CLIENTS: readonly Clients[] = ["socket", "http", "both"];

/** One round: a fresh store, so many faults, then everything is checked. */
export interface RoundOptions {
  readonly server: StoreServer;
  readonly seed: string;
  readonly faults: FaultPlan;
  /** Whether a worker also dies at every fault point. */
  readonly visitsPoints?: boolean;
  /** Processes on the store at the same time. */
  readonly workers: number;
  /** Threads that are talked to at the same time. */
  readonly threads: number;
  readonly clients: Clients;
  /** Whether agents have other agents work for them, and ask their models over HTTP. */
  readonly trees: boolean;
  /** Whether runs are workflows, whose agents ask their models over HTTP. */
  readonly workflows: boolean;
  /** How wrong the clock of a process may be at most; 0 for clocks that are right. */
  readonly skewMs: number;
  /** Whether every run that is over is replayed and compared with its recording. */
  readonly verifies: boolean;
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  /** Whether a worker that comes back is the same instance as before. */
  readonly keepsInstanceId: boolean;
  /** Whether a worker's next process is loaded beforehand: a kill then costs no second. */
  readonly isWarm: boolean;
  /** How long everything may take to come to rest once there are no more faults. */
  readonly restWithinMs: number;
  readonly plant?: string;
  /** Aborted when the round is no longer wanted: everything it started is ended. */
  readonly signal?: AbortSignal;
  /** Told what happens, for people who wait. */
  progress?(line: string): void;
}

/** Short leases, so that rounds are quick; everything else as in production. */
export const DEFAULT_ROUND = {
  workers: 1,
  threads: 8,
  clients: "both",
  trees: false,
  workflows: false,
  skewMs: 0,
  verifies: true,
  leaseMs: 1_500,
  renewEveryMs: 400,
  keepsInstanceId: true,
  isWarm: true,
  restWithinMs: 60_000,
} as const;
