import type { StoreAddress } from "../stores/store-address.ts";
import type { Generation } from "../workload/generation.ts";

/** What a worker is told when its life begins. */
export interface WorkerOptions {
  /** Its name, the same in every life; also its instance id when `keepsInstanceId`. */
  readonly worker: string;
  /** Which life of the worker this is, from 1. */
  readonly incarnation: number;
  readonly keepsInstanceId: boolean;
  readonly store: StoreAddress;
  readonly socket: string;
  readonly ledger: string;
  readonly leaseMs: number;
  readonly renewEveryMs: number;
  readonly maxActiveRuns: number;
  /** What is deployed in this life. */
  readonly generation: Generation;
  /** How far the clock of this life is ahead; behind when less than 0. */
  readonly skewMs: number;
  /** Where models are asked over HTTP; without it they are played in the process. */
  readonly modelUrl?: string;
  /** The file that ends schedules; without it there are none. */
  readonly schedulesOver?: string;
  /** A bug to work with: see `plants/`. */
  readonly plant?: string;
  readonly arm?: ArmedPoints;
}

/** The fault points to die at: at the first of them that was visited as often as it says. */
export interface ArmedPoints {
  readonly visits: Readonly<Record<string, number>>;
  /** Where the name of the point is written before. */
  readonly file: string;
}
