import type { Claim, Thread } from "@reprise/contracts";
import type { HeldClaim, ThreadRow, WorkRank } from "../../kernel/rows.ts";
import { unescapeText } from "../escape-text.ts";
import { parseText, readText, storeText } from "../stored-text.ts";
import { optionalProperty, optionalText } from "./column-values.ts";

/** A thread row in the columns of a table. */
export interface ThreadColumns {
  readonly thread_id: string;
  readonly resource_id: string | null;
  readonly parent_thread_id: string | null;
  readonly version: number;
  readonly revision: number;
  readonly digest: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly generation: number;
  readonly epoch: number;
  readonly claim_owner: string | null;
  readonly claim_epoch: number | null;
  readonly claim_until: number | null;
  readonly claim_kind: string | null;
  readonly claim_entry: string | null;
  readonly open_run_id: string | null;
  readonly recover_at: number;
  readonly is_given_back: number;
  readonly lost_version: number;
  readonly lost_claims: number;
  readonly arrivals: number;
  readonly messages: number;
  readonly pruned_version: number;
  readonly promised_version: number;
  readonly damage: string | null;
  readonly work_rank: number | null;
  readonly work_at: number | null;
  readonly work_need: string;
}

/** The metadata, apart: it rarely changes, and the rest does with every commit. */
export interface MetadataColumns {
  readonly format: number;
  readonly checksum: number;
  readonly metadata: string;
}

export function toThreadColumns({ thread, claim, work, ...row }: ThreadRow): ThreadColumns {
  return {
    thread_id: thread.thread_id,
    resource_id: optionalText(thread.resource_id),
    parent_thread_id: optionalText(thread.parent_thread_id),
    version: thread.version,
    revision: row.revision,
    digest: row.digest,
    created_at: thread.created_at,
    updated_at: thread.updated_at,
    generation: row.generation,
    epoch: row.epoch,
    claim_owner: optionalText(claim?.owner),
    claim_epoch: claim?.epoch ?? null,
    claim_until: claim?.lease_until ?? null,
    claim_kind: claim?.kind ?? null,
    claim_entry: claim?.entry_id ?? null,
    open_run_id: optionalText(row.open_run_id),
    recover_at: row.recover_at,
    is_given_back: row.is_given_back ? 1 : 0,
    lost_version: row.losses.version,
    lost_claims: row.losses.count,
    arrivals: row.arrivals,
    messages: row.messages,
    pruned_version: row.pruned_version,
    promised_version: row.promised_version,
    damage: optionalText(row.damage),
    work_rank: work?.rank ?? null,
    work_at: work?.at ?? null,
    work_need: work?.need ?? "",
  };
}

export function toMetadataColumns(metadata: Thread["metadata"]): MetadataColumns {
  const { format, checksum, body } = storeText(JSON.stringify(metadata));
  return { format, checksum, metadata: body };
}

export function fromThreadColumns(columns: ThreadColumns & MetadataColumns): ThreadRow {
  const { work_rank, work_at, work_need } = columns;
  return {
    thread: threadOf(columns),
    revision: columns.revision,
    digest: columns.digest,
    generation: columns.generation,
    epoch: columns.epoch,
    claim: claimOf(columns),
    open_run_id: columns.open_run_id === null ? null : unescapeText(columns.open_run_id),
    recover_at: columns.recover_at,
    is_given_back: columns.is_given_back === 1,
    losses: { version: columns.lost_version, count: columns.lost_claims },
    arrivals: columns.arrivals,
    messages: columns.messages,
    pruned_version: columns.pruned_version,
    promised_version: columns.promised_version,
    damage: columns.damage === null ? null : unescapeText(columns.damage),
    // Only ranks are ever written.
    work: work_rank === null || work_at === null ? null : { rank: work_rank as WorkRank, at: work_at, need: work_need },
  };
}

export function threadOf(columns: ThreadColumns & MetadataColumns): Thread {
  const { format, checksum, metadata } = columns;
  const text = readText("metadata", { format, checksum, body: metadata });
  return {
    thread_id: columns.thread_id,
    ...optionalProperty("resource_id", columns.resource_id),
    ...optionalProperty("parent_thread_id", columns.parent_thread_id),
    // Written by `toMetadataColumns`.
    metadata: parseText("metadata", text) as Thread["metadata"],
    version: columns.version,
    created_at: columns.created_at,
    updated_at: columns.updated_at,
  };
}

function claimOf({ claim_owner, claim_epoch, claim_until, claim_kind, claim_entry }: ThreadColumns): HeldClaim | null {
  if (claim_owner === null || claim_epoch === null || claim_until === null || claim_kind === null) return null;
  return {
    owner: unescapeText(claim_owner),
    epoch: claim_epoch,
    lease_until: claim_until,
    // Only kinds are ever written.
    kind: claim_kind as Claim["kind"],
    entry_id: claim_entry,
  };
}
