import type { Changeset, ChangesetTexts, RunRecord, ToolCallRecord } from "@reprise/contracts";

/** One row of a commit. A large changeset has several, each with a slice of its messages, calls, patches and events. */
export interface CommitPart extends ChangesetTexts {
  readonly message_count: number;
  /** How many of the messages are not internal. */
  readonly shown_count: number;
}

/** The events of one run in one commit: their `seq`s have no gap. */
export interface SealedSegment {
  readonly run_id: string;
  readonly first_seq: number;
  readonly last_seq: number;
}

/** A changeset ready to be stored: the rules read the open fields; the texts stay sealed until they are read back. */
export interface SealedChangeset
  extends Pick<Changeset, "changeset_id" | "thread_id" | "run_id" | "supersedes" | "consumed_decisions"> {
  readonly mailbox_effects: Changeset["mailbox_effects"];
  readonly message_ids: readonly string[];
  /** Every blob that it names. */
  readonly blob_refs: readonly string[];
  /** Those of them that hold texts of recordings: they were put within the hour. */
  readonly text_refs: readonly string[];
  readonly runs: readonly RunRecord[];
  readonly calls: readonly ToolCallRecord[];
  /** That of the changeset's own run first, then that of a run it ends. */
  readonly segments: readonly SealedSegment[];
  /** `contentDigest` of the changeset. Left out by a store in memory, which makes digests when they are read. */
  readonly content?: string;
  /** At least one, but for a store in memory. */
  readonly parts: readonly CommitPart[];
  /** The changeset itself, for a store in memory: it keeps no texts. */
  readonly open?: Changeset;
}
