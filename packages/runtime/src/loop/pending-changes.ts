import {
  type Changeset,
  type DecisionKey,
  emptyChangeset,
  type LoggedAction,
  type MailboxEffect,
  type Message,
  type Recording,
  type RunRecord,
  type ToolCallRecord,
  type Wake,
} from "@reprise/contracts";
import type { TrackedPatch } from "@reprise/state";

/** What an activation has done since its last commit, apart from its events. */
export interface PendingChanges {
  readonly messages: Message[];
  readonly patches: TrackedPatch[];
  readonly actions: LoggedAction[];
  readonly calls: Map<string, ToolCallRecord>;
  readonly consumed: DecisionKey[];
  readonly mailbox: MailboxEffect[];
  readonly blobs: string[];
  readonly recordings: Recording[];
  readonly wakes: Wake[];
  /** What plugins want to happen in the world once all this is committed. */
  readonly effects: (() => void)[];
}

export function noChanges(): PendingChanges {
  return {
    messages: [],
    patches: [],
    actions: [],
    calls: new Map(),
    consumed: [],
    mailbox: [],
    blobs: [],
    recordings: [],
    wakes: [],
    effects: [],
  };
}

export function hasChanges({ calls, ...lists }: PendingChanges): boolean {
  return calls.size > 0 || Object.values(lists).some(({ length }) => length > 0);
}

/** What a commit says beside the changes themselves. */
export interface CommitParts extends Pick<Changeset, "reasons" | "events"> {
  /** What the witness of the run noted since the last commit. */
  readonly notes: readonly Recording[];
}

/** The changes in the form in which they are stored: a commit of a run. */
export function composeChangeset(
  changesetId: string,
  run: RunRecord,
  changes: PendingChanges,
  { reasons, events, notes }: CommitParts,
): Changeset {
  const { messages, patches, actions, calls, consumed, mailbox, blobs, wakes } = changes;
  const recordings = notes.length === 0 ? changes.recordings : [...changes.recordings, ...notes];
  return {
    ...emptyChangeset(run.thread_id, run.run_id, changesetId),
    reasons,
    runs: [run],
    events,
    messages,
    patches,
    actions,
    calls: [...calls.values()],
    consumed_decisions: consumed,
    mailbox_effects: mailbox,
    blob_refs: blobs,
    ...(recordings.length > 0 && { recordings }),
    ...(wakes.length > 0 && { wakes }),
  };
}
