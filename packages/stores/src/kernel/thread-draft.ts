import type { Thread } from "@reprise/contracts";
import type { SealedChangeset } from "../codec/sealed-changeset.ts";
import type { QueueRows, ThreadRows } from "./demand.ts";
import type { CallRow, DecisionRow, EntryRow, HeldClaim, RunRow, ThreadRow, WorkHint } from "./rows.ts";
import { Table } from "./table.ts";
import { hintWork } from "./work.ts";
import type { Write } from "./write.ts";

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
  arrivals: number;
  messages: number;
  prunedVersion: number;
  promisedVersion: number;
  damage: string | null;
  /** What is queued cannot be served before this time, whatever the entries say. */
  quietUntil = 0;
  readonly #runs: Table<RunRow>;
  readonly #calls: Table<CallRow>;
  readonly #decisions: Table<DecisionRow>;
  readonly #entries: Table<EntryRow>;
  readonly #content: Write[] = [];
  /** What the thread has of what was asked for, and what the plan adds to it. */
  readonly #messageIds: Set<string>;
  readonly #versions: Map<string, number>;
  readonly #journals = new Map<string, number>();
  readonly #superseded = new Set<string>();

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
    this.arrivals = row.arrivals;
    this.messages = row.messages;
    this.prunedVersion = row.pruned_version;
    this.promisedVersion = row.promised_version;
    this.damage = row.damage;
    this.#runs = new Table(rows.runs, ({ record }) => record.run_id);
    this.#calls = new Table(rows.calls, callKey);
    this.#decisions = new Table(rows.decisions, ({ decision }) => decisionKey(decision));
    this.#entries = new Table(rows.entries, ({ entry }) => entry.entry_id);
    this.#messageIds = new Set(rows.message_ids);
    this.#versions = new Map(rows.known_versions);
  }

  get threadId(): string {
    return this.thread.thread_id;
  }

  get openRun(): RunRow | undefined {
    return this.openRunId === null ? undefined : this.#runs.get(this.openRunId);
  }

  get work(): WorkHint | null {
    return hintWork(this);
  }

  run(runId: string): RunRow | undefined {
    return this.#runs.get(runId);
  }

  /** A run of this thread; ids are unique in the tenant, so another thread may have it. */
  ownRun(runId: string): RunRow | undefined {
    const row = this.#runs.get(runId);
    return row?.record.thread_id === this.threadId ? row : undefined;
  }

  call(runId: string, callId: string): CallRow | undefined {
    return this.#calls.get(callKey({ run_id: runId, call_id: callId }));
  }

  decision(key: Parameters<typeof decisionKey>[0]): DecisionRow | undefined {
    return this.#decisions.get(decisionKey(key));
  }

  entry(entryId: string): EntryRow | undefined {
    return this.#entries.get(entryId);
  }

  /** The thread's entries that were read or added, in order of arrival. */
  get entries(): readonly EntryRow[] {
    return this.#entries.rows
      .filter(({ entry }) => entry.thread_id === this.threadId)
      .sort((row, other) => row.arrival - other.arrival);
  }

  putRun(row: RunRow): void {
    this.#runs.put(row);
  }

  putCall(row: CallRow): void {
    this.#calls.put(row);
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
    return this.#messageIds.has(messageId);
  }

  versionOf(changesetId: string): number | undefined {
    return this.#versions.get(changesetId);
  }

  /** The last `seq` of a run's journal. */
  lastSeq(runId: string): number {
    return this.#journals.get(runId) ?? this.ownRun(runId)?.last_seq ?? 0;
  }

  /** Appends the content of a changeset behind what is there. */
  appendChangeset(changeset: SealedChangeset, version: number, epoch: number): void {
    this.append({ write: "changeset", version, first_position: this.messages, epoch, changeset });
    this.messages += changeset.messages.length;
    this.#versions.set(changeset.changeset_id, version);
    for (const { id } of changeset.messages) this.#messageIds.add(id);
    for (const { run_id, last_seq } of changeset.segments) this.#journals.set(run_id, last_seq);
    // The first one to supersede a message does it, also among the changesets of one plan.
    const message_ids = changeset.supersedes.filter((id) => !this.#superseded.has(id));
    for (const id of message_ids) this.#superseded.add(id);
    if (message_ids.length > 0) this.append({ write: "supersede", message_ids, version });
  }

  /** What has to be written, the thread first: everything else is of it. */
  writes(): readonly Write[] {
    return [
      { write: "thread", row: this.#row(), is_new: this.isNew },
      ...this.#entries.changes().map((change) => ({ write: "entry", ...change }) as const),
      ...this.#runs.changes().map((change) => ({ write: "run", ...change }) as const),
      ...this.#calls.changes().map((change) => ({ write: "call", ...change }) as const),
      ...this.#decisions.changes().map((change) => ({ write: "decision", ...change }) as const),
      ...this.#content,
    ];
  }

  #row(): ThreadRow {
    return {
      thread: this.thread,
      generation: this.generation,
      epoch: this.epoch,
      claim: this.claim,
      open_run_id: this.openRunId,
      recover_at: this.recoverAt,
      is_given_back: this.isGivenBack,
      arrivals: this.arrivals,
      messages: this.messages,
      pruned_version: this.prunedVersion,
      promised_version: this.promisedVersion,
      damage: this.damage,
      work: this.work,
    };
  }
}

function callKey({ run_id, call_id }: { readonly run_id: string; readonly call_id: string }): string {
  return JSON.stringify([run_id, call_id]);
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
