import type { StoreSignal } from "@reprise/contracts";
import type { History } from "../../kernel/demand.ts";
import type { ThreadRequest } from "../../kernel/request.ts";

/** An operation that waits to be done. */
export interface Job {
  readonly request: ThreadRequest;
  /** The time of the handle it came through. */
  readonly now: () => number;
  /** Read before, because it takes reading a log. */
  readonly history: History | undefined;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** What an operation came to; it is told when everything it follows from is durable. */
export type Outcome =
  | { readonly answer: unknown; readonly signals: readonly StoreSignal[] }
  | { readonly error: unknown };
