import type {
  Changeset,
  Decision,
  EventSegment,
  MailboxEntry,
  Message,
  RunRecord,
  Thread,
  ToolCallRecord,
} from "@reprise/contracts";
import type { ReplayResult } from "@reprise/runtime";
import type { Json, StateSnapshot } from "@reprise/state";
import type { ClaimLine, EffectLine, LedgerEntry, LossLine, ModelLine } from "../ledger/ledger-line.ts";
import type { Refusal } from "../wire/worker-messages.ts";
import type { WitnessRecord } from "../witness/witness-record.ts";
import type { ModelArrival } from "../workload/model-server.ts";

/** A thread as its store tells of it. */
export interface ThreadHistory {
  readonly thread: Thread;
  readonly changesets: readonly (Changeset & { readonly version: number })[];
  /** All of them, superseded and internal ones too, in order. */
  readonly messages: readonly Message[];
  readonly snapshot: StateSnapshot | undefined;
  /** The state as the runtime would load it. */
  readonly state: Json;
  readonly entries: readonly MailboxEntry[];
  readonly runs: readonly RunHistory[];
}

export interface RunHistory {
  readonly run: RunRecord;
  readonly calls: readonly ToolCallRecord[];
  /** Every decision stored about one of its calls. */
  readonly decisions: readonly Decision[];
  readonly segments: readonly EventSegment[];
}

/** A stream read again after everything was over, from a cursor somebody had seen. */
export interface Replay {
  readonly run_id: string;
  readonly after: string | undefined;
  readonly records: readonly WitnessRecord[];
}

/** What came of replaying a run that was over. */
export type Verification = { readonly run_id: string } & (
  | { readonly result: ReplayResult }
  | { readonly refusal: Refusal }
);

/** Everything that is known after a round: what the store has, what the world saw, what clients saw. */
export interface History {
  readonly threads: readonly ThreadHistory[];
  readonly effects: readonly LedgerEntry<EffectLine>[];
  readonly models: readonly LedgerEntry<ModelLine>[];
  readonly losses: readonly LedgerEntry<LossLine>[];
  readonly claims: readonly LedgerEntry<ClaimLine>[];
  /** The requests that models got over HTTP. */
  readonly arrivals: readonly ModelArrival[];
  readonly witness: readonly WitnessRecord[];
  readonly replays: readonly Replay[];
  readonly verifications: readonly Verification[];
  /** What was still open when nothing moved any more, or when the time was up. */
  readonly unfinished: readonly string[];
}

export type InvariantName = "I1" | "I2" | "I3" | "I4" | "I5" | "I6" | "I7" | "I8" | "I9" | "I10" | "I11" | "I12";

/** Something that must not be, with the ids to look for. */
export interface Violation {
  readonly invariant: InvariantName;
  readonly message: string;
  readonly thread_id?: string;
  readonly run_id?: string;
}

/** Looks for one kind of violation. Pure. */
export type Invariant = (history: History) => readonly Violation[];
