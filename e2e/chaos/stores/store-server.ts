import type { SeededRandom } from "../random/seeded-random.ts";
import type { StoreAddress, StoreName } from "./store-address.ts";

/** An empty store. */
export interface FreshStore {
  /** How the checker reaches it. */
  readonly address: StoreAddress;
  /** How a worker reaches it: perhaps by a way that can be cut. */
  addressFor(worker: string): StoreAddress;
  /** Takes back what was made for it alone. */
  close(): Promise<void>;
}

/** Does something to a store or to the way to it, and undoes what does not heal by itself. Returns a word about it. */
export type StoreFault = (random: SeededRandom) => Promise<string | undefined>;

/** A store under test with what it needs to run, for any number of rounds. */
export interface StoreServer {
  readonly name: StoreName;
  /** Whether the store tells the time itself, so that processes may be wrong about it. */
  readonly hasOwnClock: boolean;
  freshStore(folder: string): Promise<FreshStore>;
  /** What can be done to it, by name. */
  readonly faults: Readonly<Record<string, StoreFault>>;
  /** Brings back whatever a fault took away. */
  heal(): Promise<void>;
  /** Ends whatever runs for it and removes whatever it wrote. */
  close(): Promise<void>;
}
