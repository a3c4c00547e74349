import type { Store } from "@reprise/contracts";

/** A store under test, empty, and what a test may do to it. */
export interface OpenedStore {
  readonly store: Store;
  /** Moves the store's own time. */
  advance(ms: number): Promise<void> | void;
  /** A second handle on the same data, as another process would have. Absent when the store cannot have one. */
  reopen?(): Promise<Store>;
  /** Closes every handle and takes the data away. */
  close(): Promise<void>;
}

export type OpenStore = () => Promise<OpenedStore>;

/** A law that a store does not keep, and why that is right. The suite prints it. */
export interface Deviation {
  readonly law: string;
  readonly reason: string;
}
