import type { Changeset, RunRecord, ToolCallRecord, Wake } from "@reprise/contracts";

/** A message ready to be stored. `body` is JSON without the id. */
export interface SealedMessage {
  readonly id: string;
  readonly is_internal: boolean;
  readonly body: string;
}

/** The events of one run in one commit, ready to be stored. Their `seq`s have no gap. */
export interface SealedSegment {
  readonly run_id: string;
  readonly first_seq: number;
  readonly last_seq: number;
  readonly body: string;
}

/**
 * A changeset ready to be stored: what the rules look at is open, the rest is text that nobody opens again before it is read.
 * Messages, patches and events are in their own rows, so nothing is stored twice.
 */
export interface SealedChangeset
  extends Pick<Changeset, "changeset_id" | "thread_id" | "run_id" | "supersedes" | "consumed_decisions"> {
  readonly mailbox_effects: Changeset["mailbox_effects"];
  readonly messages: readonly SealedMessage[];
  readonly runs: readonly RunRecord[];
  readonly calls: readonly ToolCallRecord[];
  readonly segments: readonly SealedSegment[];
  readonly wakes: readonly Wake[];
  /** The patches as JSON; empty when there are none. */
  readonly patches: string;
  /** Everything else as JSON. */
  readonly body: string;
}
