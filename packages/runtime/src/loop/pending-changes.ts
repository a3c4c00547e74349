import {
  type Changeset,
  type CheckpointReason,
  type DecisionKey,
  type Effect,
  emptyChangeset,
  type LoggedAction,
  type MailboxEffect,
  type Message,
  type RunRecord,
  type ToolCallRecord,
} from "@reprise/contracts";
import type { TrackedPatch } from "@reprise/state";
import { textRefsOf } from "../effects/long-texts.ts";

/** What an activation has done since its last commit, apart from its events. */
export interface PendingChanges {
  readonly messages: Message[];
  readonly patches: TrackedPatch[];
  readonly actions: LoggedAction[];
  readonly calls: Map<string, ToolCallRecord>;
  readonly consumed: DecisionKey[];
  readonly mailbox: MailboxEffect[];
  readonly blobs: string[];
  /** What plugins want to happen in the world once all this is committed. */
  readonly acts: (() => void)[];
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
    acts: [],
  };
}

export function hasChanges({ calls, ...lists }: PendingChanges): boolean {
  return calls.size > 0 || Object.values(lists).some(({ length }) => length > 0);
}

/** What a commit stands for. Whatever else it does, one that holds the model's words is the assistant's turn. */
export function reasonsOf(
  { messages }: PendingChanges,
  reasons: readonly CheckpointReason[],
): readonly CheckpointReason[] {
  const isTurn = messages.some(({ role }) => role === "assistant");
  return isTurn ? [...new Set<CheckpointReason>(["assistant_turn", ...reasons])] : reasons;
}

/** What a commit says beside the changes themselves. */
export interface CommitParts extends Pick<Changeset, "reasons" | "events"> {
  /** What the run learnt since the last commit. */
  readonly effects: readonly Effect[];
}

/** The changes in the form in which they are stored: a commit of a run. */
export function composeChangeset(
  changesetId: string,
  run: RunRecord,
  changes: PendingChanges,
  { reasons, events, effects }: CommitParts,
): Changeset {
  const { messages, patches, actions, calls, consumed, mailbox, blobs } = changes;
  const texts = textRefsOf(effects);
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
    blob_refs: texts.length === 0 ? blobs : [...blobs, ...texts],
    ...(effects.length > 0 && { effects }),
  };
}
