import type { Claim, ClaimRequest, CommitGuard, Decision, NewEntry, Thread } from "@reprise/contracts";
import type { SealedChangeset } from "../codec/sealed-changeset.ts";
import type { DecisionRow, EntryRow, RunRow } from "./rows.ts";

/** An entry with what it asks for sealed. `resource_id` and `parent_thread_id` are for a thread that is made with it. */
export interface SealedEntry extends Omit<NewEntry, "request"> {
  readonly request: string;
  readonly resource_id?: string;
  readonly parent_thread_id?: string;
}

export interface SealedClaiming extends ClaimRequest {
  readonly changeset: SealedChangeset;
  /** What the entry asks for, pointing at the messages of the changeset: it is stored with them or not at all. */
  readonly request: string;
  readonly expected: number;
}

/** Why a claim is given back before its work is done, and when to try again. */
export interface Problem {
  readonly error: string;
  readonly retry_at: number;
  /** Whether the owner had the entry and did nothing with it, rather than being lost with it. */
  readonly isUnused?: boolean;
}

/** Every write to one thread, as data: it can be queued, batched and sent to another thread of execution. */
export interface ThreadRequests {
  commit: { readonly changeset: SealedChangeset; readonly guard: CommitGuard };
  submit: { readonly entry: SealedEntry; readonly claiming?: SealedClaiming };
  decide: { readonly decision: Decision; readonly is_early: boolean };
  cancel: { readonly run_id: string; readonly reason: string };
  create_thread: { readonly thread: Pick<Thread, "thread_id" | "resource_id" | "parent_thread_id" | "metadata"> };
  update_thread: { readonly thread_id: string; readonly metadata: Thread["metadata"] };
  fork_thread: { readonly thread_id: string; readonly version: number; readonly new_thread_id: string };
  delete_thread: { readonly thread_id: string };
  save_snapshot: { readonly thread_id: string; readonly version: number; readonly state: string };
  /** Takes the next work of a thread that the work index offered. */
  claim: { readonly thread_id: string; readonly request: ClaimRequest };
  renew: { readonly thread_id: string; readonly epoch: number; readonly lease_ms: number };
  release: { readonly thread_id: string; readonly epoch: number; readonly problem?: Problem };
  /** Ends whatever claim an owner that is gone has on a thread. */
  release_owner: { readonly thread_id: string; readonly owner: string };
  /** Closes a thread for writing, because a row of it cannot be read. */
  report_damage: { readonly thread_id: string; readonly damage: string };
}

/** What each of them answers. Rows go out as they are stored; whoever asked opens them. */
export interface ThreadAnswers {
  commit: { readonly version: number };
  submit: SubmitAnswer;
  decide: DecisionRow["decision"];
  cancel: null;
  create_thread: Thread;
  update_thread: Thread;
  fork_thread: Thread;
  delete_thread: null;
  save_snapshot: null;
  claim: ClaimAnswer | null;
  renew: { readonly lease_until: number } | null;
  release: null;
  release_owner: null;
  report_damage: null;
}

export type SubmitAnswer =
  | { readonly status: "claimed"; readonly entry: EntryRow; readonly claim: ClaimAnswer; readonly version: number }
  | { readonly status: "queued" | "duplicate"; readonly entry: EntryRow };

export interface ClaimAnswer {
  readonly claim: Omit<Claim, "entry" | "run">;
  readonly entry?: EntryRow;
  readonly run?: RunRow["record"];
}

export type ThreadOperation = keyof ThreadRequests;

/** A request with its tenant and its name. */
export type ThreadRequest<Operation extends ThreadOperation = ThreadOperation> = {
  [Name in Operation]: { readonly operation: Name; readonly tenant: string } & ThreadRequests[Name];
}[Operation];
