import type { Json, Path, StateAction, TrackedPatch } from "@reprise/state";
import type { ToolCallRecord } from "../decision/tool-call-record.ts";
import type { AgentEvent } from "../event/event.ts";
import type { Message } from "../message/message.ts";
import type { RunRecord } from "../run/run-record.ts";

/** Which boundaries of the loop a commit stands for. Boundaries with nothing visible between them share one commit. */
export type CheckpointReason =
  | "user_message"
  | "assistant_turn"
  | "tool_intent"
  | "tool_results"
  | "run_finished"
  | "external_patch"
  | "rollback"
  | "fork";

/** The version of the stored format. Readers upcast older ones and refuse newer ones. */
export const CHANGESET_FORMAT = 1;

/** An intent with its author, kept beside the patch it became. */
export interface LoggedAction {
  readonly source: string;
  readonly action: StateAction;
  readonly call_id?: string;
}

/** Which decision was used. */
export interface DecisionKey {
  readonly run_id: string;
  readonly call_id: string;
  readonly suspension: number;
}

/** The change of a mailbox entry by a commit. */
export interface MailboxEffect {
  readonly entry_id: string;
  readonly status: "accepted" | "cancelled";
  /** For an entry whose messages went into a run that was already there: that run. */
  readonly into_run?: string;
}

/**
 * Something an activation learnt from outside of its thread. Effects stand in the order in which they entered the loop, over all
 * changesets of a run. The changeset's id names the claim; together with it `kind`, `of` and `attempt` name an effect.
 */
export interface Effect {
  /** `turn`, `execute`, `phase`, `commit`, … */
  readonly kind: string;
  /** The step, call, phase or changeset it belongs to. */
  readonly of: string;
  /** Counts the effects of one kind that belong to the same thing, in one activation. */
  readonly attempt: number;
  /** The time at which it entered the loop. Absent when the loop did not wait for it. */
  readonly at?: number;
  /** The last event that was shown when it came. Only while a model was speaking. */
  readonly seq?: number;
  readonly value?: Json;
  /** Why it failed. */
  readonly failed?: Json;
  /** Long texts of `value`, which stand in blobs. */
  readonly texts?: readonly EffectText[];
}

/** A text that is stored once by its content. */
export interface EffectText {
  readonly path: Path;
  /** The blob that holds it. */
  readonly ref: string;
}

/** The content that one commit appends to a thread, all or nothing. */
export interface Changeset {
  readonly format: typeof CHANGESET_FORMAT;
  readonly changeset_id: string;
  readonly thread_id: string;
  /** Null for changes from outside a run. */
  readonly run_id: string | null;
  readonly reasons: readonly CheckpointReason[];
  /** Appended in order. The builder of the changeset leaves out messages that the thread already has. */
  readonly messages: readonly Message[];
  /** Ids of messages that no longer reach the model; lists hide them unless asked. */
  readonly supersedes: readonly string[];
  readonly patches: readonly TrackedPatch[];
  readonly actions: readonly LoggedAction[];
  /** Run rows as they are after this commit: the run's own, and one it ends by superseding. */
  readonly runs: readonly RunRecord[];
  /** Call rows that changed. */
  readonly calls: readonly ToolCallRecord[];
  /** The events since the last commit of the run, and of one it ends; each goes to its own run's journal, by `seq`. */
  readonly events: readonly AgentEvent[];
  readonly consumed_decisions: readonly DecisionKey[];
  readonly mailbox_effects: readonly MailboxEffect[];
  readonly blob_refs: readonly string[];
  /** Left out when there are none. */
  readonly effects?: readonly Effect[];
}

/** A changeset that changes nothing, to begin with. */
export function emptyChangeset(threadId: string, runId: string | null, changesetId: string): Changeset {
  return {
    format: CHANGESET_FORMAT,
    changeset_id: changesetId,
    thread_id: threadId,
    run_id: runId,
    reasons: [],
    messages: [],
    supersedes: [],
    patches: [],
    actions: [],
    runs: [],
    calls: [],
    events: [],
    consumed_decisions: [],
    mailbox_effects: [],
    blob_refs: [],
  };
}

/** The conditions of a commit. */
export interface CommitGuard {
  /** The version the thread must be at; `any` for writers that do not depend on it. */
  readonly expected: number | "any";
  /** The writer's claim; null only for changesets without a run. */
  readonly epoch: number | null;
}

export interface Committed {
  readonly version: number;
}

/** A changeset as a store gives it back. */
export interface StoredChangeset extends Changeset {
  readonly version: number;
  /** `chainDigest` of the version before it and this one's `contentDigest`, both without `version` and `digest`. */
  readonly digest: string;
}
