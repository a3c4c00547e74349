import type { AgentEvent, Decision, EventSegment, RunRecord, ToolCallRecord } from "@reprise/contracts";
import { notFound } from "@reprise/contracts";
import type { MailboxSlot } from "./mailbox.ts";
import { DocumentShelf } from "./memory-documents.ts";
import type { ThreadCell } from "./thread-cell.ts";

/** A stored decision and whether a commit has used it. */
export interface DecisionSlot {
  readonly decision: Decision;
  /** The `resume` entry it made; an early decision has none until its suspension is committed. */
  wake: MailboxSlot | undefined;
}

/** A call's row; the row is replaced as the call goes on. */
export interface CallSlot {
  record: ToolCallRecord;
}

/** Everything one run has. */
export interface RunCell {
  readonly cell: ThreadCell;
  readonly calls: Map<string, CallSlot>;
  readonly decisions: Map<string, DecisionSlot>;
  /** Those not consumed yet, in order of arrival. */
  readonly pending: Set<DecisionSlot>;
  readonly segments: (EventSegment & { readonly lastSeq: number })[];
  record: RunRecord;
}

/** Everything one tenant has, by id and in order of arrival. */
export interface TenantWorld {
  readonly tenant: string;
  readonly threads: Map<string, ThreadCell>;
  readonly runs: Map<string, RunCell>;
  readonly calls: Set<CallSlot>;
  readonly entries: Map<string, MailboxSlot>;
  /** The `run` entries by the run they ask for. */
  readonly entriesByRun: Map<string, MailboxSlot>;
  /** The last epochs of deleted threads: a thread made anew under the same id must fence off their owners. */
  readonly retiredEpochs: Map<string, number>;
  readonly documents: DocumentShelf;
}

export function createTenantWorld(tenant: string): TenantWorld {
  return {
    tenant,
    threads: new Map(),
    runs: new Map(),
    calls: new Set(),
    entries: new Map(),
    entriesByRun: new Map(),
    retiredEpochs: new Map(),
    documents: new DocumentShelf(),
  };
}

export function createRunCell(cell: ThreadCell, record: RunRecord): RunCell {
  return { cell, record, calls: new Map(), decisions: new Map(), pending: new Set(), segments: [] };
}

export function requireThread(world: TenantWorld, threadId: string): ThreadCell {
  const cell = world.threads.get(threadId);
  if (cell === undefined) throw notFound("THREAD_NOT_FOUND", "thread", threadId);
  return cell;
}

export function openRunOf(cell: ThreadCell): RunCell | undefined {
  return cell.openRunId === undefined ? undefined : cell.world.runs.get(cell.openRunId);
}

/** The key of a decision inside its run. */
export function decisionKey(callId: string, suspension: number): string {
  return `${suspension}:${callId}`;
}

export function lastSeqOf(run: RunCell | undefined): number {
  return run?.segments.at(-1)?.lastSeq ?? 0;
}

/** Adds the events of one commit to a run's journal. They are in order and go on from `lastSeqOf`. */
export function appendSegment(run: RunCell, epoch: number, events: readonly AgentEvent[]): void {
  run.segments.push({ epoch, events, lastSeq: events.at(-1)?.seq ?? lastSeqOf(run) });
}
