import type { Changeset, Claim, Message, Thread } from "@reprise/contracts";
import type { Json, StateSnapshot } from "@reprise/state";
import { Mailbox } from "./mailbox.ts";
import type { TenantWorld } from "./tenant-world.ts";
import type { Lane } from "./work-index.ts";

/** A message with the run whose commit brought it. */
export interface StoredMessage {
  readonly message: Message;
  readonly runId: string | null;
}

/** The claim a thread is under, live or expired, until it is given back or taken over. */
export interface HeldClaim {
  readonly owner: string;
  readonly epoch: number;
  readonly leaseUntil: number;
  readonly kind: Claim["kind"];
  /** The entry that made the work, while it is not accepted. */
  readonly entryId?: string;
}

/** A thread at the version its history was cut at. */
export interface CutHistory {
  readonly version: number;
  readonly state: Json;
  readonly messages: number;
  /** Ids of messages that were superseded by then. */
  readonly supersedes: readonly string[];
}

/** Everything one thread has. The records in it are replaced, never written to; the lists only grow. */
export interface ThreadCell {
  readonly world: TenantWorld;
  readonly mailbox: Mailbox;
  readonly messages: StoredMessage[];
  readonly positions: Map<string, number>;
  readonly superseded: Set<number>;
  /** Those after `base`. */
  readonly changesets: (Changeset & { readonly version: number })[];
  readonly versions: Map<string, number>;
  readonly snapshots: StateSnapshot[];
  readonly runIds: string[];
  /** What is left of the versions whose history is gone. */
  base: CutHistory | undefined;
  thread: Thread;
  generation: number;
  epoch: number;
  claim: HeldClaim | undefined;
  openRunId: string | undefined;
  /** A running run without an owner is not recovered before this time. */
  recoverAt: number;
  /** Whether the last owner gave its claim back itself: then taking over its run is no recovery. */
  isGivenBack: boolean;
  /** Where the work index keeps the thread. */
  lane: Lane | undefined;
}

/** A thread without anything on it. It is not part of its tenant's world yet. */
export function createThreadCell(world: TenantWorld, thread: Thread): ThreadCell {
  return {
    world,
    thread,
    mailbox: new Mailbox(),
    messages: [],
    positions: new Map(),
    superseded: new Set(),
    changesets: [],
    base: undefined,
    versions: new Map(),
    snapshots: [],
    runIds: [],
    generation: 0,
    epoch: world.retiredEpochs.get(thread.thread_id) ?? 0,
    claim: undefined,
    openRunId: undefined,
    recoverAt: 0,
    isGivenBack: false,
    lane: undefined,
  };
}

export function isClaimLive(cell: ThreadCell, now: number): boolean {
  return cell.claim !== undefined && cell.claim.leaseUntil > now;
}
