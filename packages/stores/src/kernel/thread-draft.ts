import { chainDigest, type Thread } from "@reprise/contracts";
import type { QueueRows, ThreadRows } from "./demand.ts";
import { hashText } from "./hash-text.ts";
import type { HeldThread } from "./request.ts";
import type { Losses, RunRow, SupersededRange, ThreadRow, WorkHint } from "./rows.ts";
import { type CallRow, type DecisionRow, type EndedCall, type EntryRow, type HeldClaim, queueOf } from "./rows.ts";
import type { SealedChangeset } from "./sealed-changeset.ts";
import { Table } from "./table.ts";
import { hintWork } from "./work.ts";
import type { CommitWrite, Write } from "./write.ts";

/**
 * A thread while an operation is planned: the rows that were read, and what is to become of them. Rows are replaced, never
 * written to. Nothing of it is stored before `writes` is executed, so a plan that throws has changed nothing.
 */
export class ThreadDraft {
  readonly tenant: string;
  readonly isNew: boolean;
  readonly queue: QueueRows;
  thread: Thread;
  generation: number;
  epoch: number;
  claim: HeldClaim | null;
  openRunId: string | null;
  recoverAt: number;
  isGivenBack: boolean;
  losses: Losses;
  arrivals: number;
  messages: number;
  prunedVersion: number;
  promisedVersion: number;
  damage: string | null;
  /** What is queued cannot be served before this time, whatever the entries say. */
  quietUntil = 0;
  /** The work that was found and left to others: until it is done nothing of the thread goes before it. */
  leftWork: WorkHint | undefined;
  readonly #before: ThreadRow;
  readonly #rows: ThreadRows;
  #digest: string;
  readonly #runs: Table<RunRow>;
  readonly #decisions: Table<DecisionRow>;
  readonly #entries: Table<EntryRow>;
  readonly #content: Write[] = [];
  /** What the plan appends: together with the rows it says what the thread will have. */
  readonly #commits: CommitWrite[] = [];
  readonly #superseded: SupersededRange[];

  constructor(tenant: string, row: ThreadRow, rows: ThreadRows) {
    this.tenant = tenant;
    this.isNew = rows.thread === undefined;
    this.queue = rows.queue;
    this.thread = row.thread;
    this.generation = row.generation;
    this.epoch = row.epoch;
    this.claim = row.claim;
    this.openRunId = row.open_run_id;
    this.recoverAt = row.recover_at;
    this.isGivenBack = row.is_given_back;
    this.losses = row.losses;
    this.arrivals = row.arrivals;
    this.messages = row.messages;
    this.prunedVersion = row.pruned_version;
    this.promisedVersion = row.promised_version;
    this.damage = row.damage;
    this.#before = row;
    this.#rows = rows;
    this.#digest = row.digest;
    this.#runs = new Table(rows.runs, ({ record }) => record.run_id);
    this.#decisions = new Table(rows.decisions, ({ decision }) => decisionKey(decision));
    this.#entries = new Table(rows.entries, ({ entry }) => entry.entry_id);
    this.#superseded = [...rows.superseded];
  }

  get threadId(): string {
    return this.thread.thread_id;
  }

  get openRun(): RunRow | undefined {
    return this.openRunId === null ? undefined : this.#runs.get(this.openRunId);
  }

  get work(): WorkHint | null {
    return this.leftWork ?? hintWork(this);
  }

  run(runId: string): RunRow | undefined {
    return this.#runs.get(runId);
  }

  /** A run of this thread; ids are unique in the tenant, so another thread may have it. */
  ownRun(runId: string): RunRow | undefined {
    const row = this.#runs.get(runId);
    return row?.record.thread_id === this.threadId ? row : undefined;
  }

  call(runId: string, callId: string): EndedCall | undefined {
    const open = this.#runs.get(runId)?.open_calls.find(({ call_id }) => call_id === callId);
    return open ?? this.#knownCall(runId, callId);
  }

  decision(key: Parameters<typeof decisionKey>[0]): DecisionRow | undefined {
    return this.#decisions.get(decisionKey(key));
  }

  entry(entryId: string): EntryRow | undefined {
    return this.#entries.get(entryId);
  }

  /** The thread's entries that were read or added, in order of arrival. */
  get entries(): readonly EntryRow[] {
    const own = this.#entries.rows.filter(({ entry }) => entry.thread_id === this.threadId);
    return own.length < 2 ? own : own.sort((row, other) => row.arrival - other.arrival);
  }

  /** Whether the plan takes an entry out of the queue of runs: who is next then takes a look at the rest of it. */
  get isQueueShorter(): boolean {
    const isLeft = ({ row, before }: { readonly row: EntryRow; readonly before: EntryRow | undefined }): boolean =>
      before !== undefined && queueOf(before.entry) === "run" && queueOf(row.entry) !== "run";
    return this.#entries.changes().some(isLeft);
  }

  putRun(row: RunRow): void {
    this.#runs.put(row);
  }

  putDecision(row: DecisionRow): void {
    this.#decisions.put(row);
  }

  putEntry(row: EntryRow): void {
    this.#entries.put(row);
  }

  append(write: Write): void {
    this.#content.push(write);
  }

  hasMessage(messageId: string): boolean {
    const isAppended = ({ changeset }: CommitWrite): boolean => changeset.message_ids.includes(messageId);
    return this.#rows.message_ids.includes(messageId) || this.#commits.some(isAppended);
  }

  versionOf(changesetId: string): number | undefined {
    const appended = this.#commits.find(({ changeset }) => changeset.changeset_id === changesetId);
    return appended?.version ?? this.#rows.known_versions.get(changesetId);
  }

  /** Appends a changeset behind what is there. The rows of its runs have to be in the draft. */
  appendChangeset(changeset: SealedChangeset, version: number, epoch: number): void {
    const first_position = this.messages;
    const new_calls = changeset.calls.filter(({ run_id, call_id }) => !this.#isKnownCall(run_id, call_id));
    if (changeset.content !== undefined) this.#digest = chainDigest(this.#digest, changeset.content, hashText);
    const digest = this.#digest;
    const write: CommitWrite = { write: "commit", version, first_position, epoch, digest, changeset, new_calls };
    this.append(write);
    this.#commits.push(write);
    this.messages += changeset.message_ids.length;
    this.refer(changeset.blob_refs);
    if (changeset.supersedes.length > 0) this.#supersede(changeset, first_position, version);
  }

  /** Keeps blobs for as long as the thread is there. */
  refer(refs: readonly string[]): void {
    if (refs.length > 0) this.append({ write: "refer", refs });
  }

  #isKnownCall(runId: string, callId: string): boolean {
    const open = this.#runs.before(runId)?.open_calls;
    return open?.some(({ call_id }) => call_id === callId) === true || this.#knownCall(runId, callId) !== undefined;
  }

  /** A call that was over when it was read, or that the plan brought, as it is now. */
  #knownCall(runId: string, callId: string): EndedCall | undefined {
    const isAsked = (call: EndedCall): boolean => call.call_id === callId && call.run_id === runId;
    const brought = this.#commits.findLast(({ changeset }) => changeset.calls.some(isAsked));
    return brought?.changeset.calls.findLast(isAsked) ?? this.#rows.calls.find(isAsked);
  }

  /** Marks messages by ranges of positions. Ids the thread does not have are skipped, and so is what is marked already. */
  #supersede({ supersedes, message_ids }: SealedChangeset, firstPosition: number, version: number): void {
    const own = new Map(message_ids.map((id, index) => [id, firstPosition + index]));
    const found = supersedes.flatMap((id) => this.#rows.positions.get(id) ?? own.get(id) ?? []);
    const positions = [...new Set(found)].filter((position) => !this.#isSuperseded(position));
    for (const range of toRanges(positions, version)) {
      this.#superseded.push(range);
      this.append({ write: "supersede", range });
    }
  }

  #isSuperseded(position: number): boolean {
    return this.#superseded.some((range) => range.first_position <= position && position <= range.last_position);
  }

  /** What has to be written, the thread first: everything else is of it. */
  writes(): readonly Write[] {
    const writes: Write[] = [{ write: "thread", row: this.#row(), is_new: this.isNew }];
    for (const { row, before } of this.#entries.changes()) {
      writes.push({ write: "entry", row, is_new: before === undefined });
    }
    for (const { row, before } of this.#runs.changes()) {
      writes.push({ write: "run", row, before }, ...suspensions(row, before));
    }
    for (const { row, before } of this.#decisions.changes()) {
      writes.push({ write: "decision", row, is_new: before === undefined });
    }
    writes.push(...this.#content);
    return writes;
  }

  /**
   * The thread as it will be, for the process that plans its next commit without reading. Undefined when the plan changed the queue of
   * runs, of which only the next times are known.
   */
  held(): HeldThread | undefined {
    const isQueueChanged = this.#entries
      .changes()
      .some(({ row, before }) => queueOf(row.entry) === "run" || (before && queueOf(before.entry)) === "run");
    if (isQueueChanged) return undefined;
    const run = this.openRun;
    return {
      thread: this.#row(),
      retired_epoch: 0,
      known_versions: new Map(),
      message_ids: [],
      runs: run === undefined ? [] : [run],
      calls: [],
      decisions: this.#decisions.rows.filter(
        ({ is_pending, decision }) => is_pending && decision.run_id === this.openRunId,
      ),
      entries: this.entries.filter(({ entry }) => queueOf(entry) === "wake" || queueOf(entry) === "claimed"),
      queue: this.queue,
      positions: new Map(),
      superseded: [],
    };
  }

  #row(): ThreadRow {
    return {
      thread: this.thread,
      revision: this.#before.revision + (this.#isRevised ? 1 : 0),
      digest: this.#digest,
      generation: this.generation,
      epoch: this.epoch,
      claim: this.claim,
      open_run_id: this.openRunId,
      recover_at: this.recoverAt,
      is_given_back: this.isGivenBack,
      losses: this.losses,
      arrivals: this.arrivals,
      messages: this.messages,
      pruned_version: this.prunedVersion,
      promised_version: this.promisedVersion,
      damage: this.damage,
      work: this.work,
    };
  }

  get #isRevised(): boolean {
    const before = this.#before;
    return (
      this.#entries.hasChanges ||
      this.#decisions.hasChanges ||
      this.claim?.epoch !== before.claim?.epoch ||
      this.claim?.entry_id !== before.claim?.entry_id ||
      this.generation !== before.generation ||
      this.recoverAt !== before.recover_at ||
      this.isGivenBack !== before.is_given_back ||
      this.#isHandedOver
    );
  }

  /** Whether another agent works on the open run: the work index has to know. */
  get #isHandedOver(): boolean {
    const { openRun } = this;
    const before = openRun === undefined ? undefined : this.#runs.before(openRun.record.run_id);
    return before !== undefined && openRun?.record.agent_path?.length !== before.record.agent_path?.length;
  }
}

/** Which calls of a run became suspended, perhaps under another id outside, and which no longer are. */
function suspensions({ record: { run_id }, open_calls }: RunRow, stored: RunRow | undefined): readonly Write[] {
  const before = suspendedOf(stored?.open_calls ?? []);
  const after = suspendedOf(open_calls);
  const change = (call_id: string, pending_id: string | null): Write => ({
    write: "suspended",
    call: { run_id, call_id },
    pending_id,
  });
  return [
    ...[...after].filter(([id, pending]) => before.get(id) !== pending).map(([id, pending]) => change(id, pending)),
    ...[...before.keys()].filter((id) => !after.has(id)).map((id) => change(id, null)),
  ];
}

/** Each suspended call with the id it has outside while it waits. */
function suspendedOf(calls: readonly CallRow[]): ReadonlyMap<string, string> {
  const suspended = calls.filter(({ status }) => status === "suspended");
  return new Map(suspended.map(({ call_id, ticket }) => [call_id, ticket?.pending.id ?? call_id]));
}

/** Positions as ranges without gaps. */
function toRanges(positions: readonly number[], version: number): readonly SupersededRange[] {
  const ranges: { first_position: number; last_position: number; version: number }[] = [];
  for (const position of positions.toSorted((left, right) => left - right)) {
    const last = ranges.at(-1);
    if (last?.last_position === position - 1) last.last_position = position;
    else ranges.push({ first_position: position, last_position: position, version });
  }
  return ranges;
}

function decisionKey({
  run_id,
  call_id,
  suspension,
}: {
  readonly run_id: string;
  readonly call_id: string;
  readonly suspension: number;
}): string {
  return JSON.stringify([run_id, call_id, suspension]);
}
