import type { CompactionFact } from "@reprise/contracts";
import { type ActionCreators, defineState, type StateDefinition } from "@reprise/state";

/** A failed call whose tool has not succeeded since. */
export interface Incident {
  readonly tool: string;
  readonly call_id: string;
  readonly problem: string;
}

/** A summary that replaces the messages up to one of them in requests. The thread keeps the messages. */
export interface Boundary {
  readonly covers_through_message_id: string;
  readonly summary: string;
  /** Blobs, files and addresses that the covered messages name, and how many more addresses there were. */
  readonly evidence: readonly string[];
  readonly more_links: number;
  readonly incidents: readonly Incident[];
  /** The tokens of all covered messages together. */
  readonly original_token_count: number;
  readonly created_at_ms: number;
  /** Which compaction of the thread this is. */
  readonly number: number;
}

/** A compaction under way. Its process knows the rest. */
export interface PendingCompaction extends CompactionFact {
  readonly fresh_tokens: number;
}

/** The last compactions failed: how many, and when to try again. */
export interface Failures {
  readonly count: number;
  readonly retry_at_ms: number;
}

export interface Compaction {
  readonly boundary?: Boundary;
  readonly pending?: PendingCompaction;
  readonly failures?: Failures;
}

type CompactionActions = ActionCreators<{
  begin: [pending: PendingCompaction];
  complete: [boundary: Boundary];
  fail: [failures: Failures];
  drop: [];
}>;

/** How a thread is compacted: one compaction at a time, and the last summary. */
export const compaction: StateDefinition<Compaction> & CompactionActions = defineState({
  path: "__context",
  initial: (): Compaction => ({}),
  actions: {
    begin: ({ boundary, failures }, pending: PendingCompaction) => ({
      ...(boundary !== undefined && { boundary }),
      ...(failures !== undefined && { failures }),
      pending,
    }),
    complete: (_, boundary: Boundary) => ({ boundary }),
    fail: ({ boundary }, failures: Failures) => ({ ...(boundary !== undefined && { boundary }), failures }),
    /** Forgets the compaction under way without counting a failure. */
    drop: ({ boundary, failures }) => ({
      ...(boundary !== undefined && { boundary }),
      ...(failures !== undefined && { failures }),
    }),
  },
});
