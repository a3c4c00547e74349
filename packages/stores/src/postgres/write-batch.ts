import type { ThreadKey } from "@reprise/contracts";
import { toCommitColumns } from "../codec/columns/commit-columns.ts";
import { toDecisionColumns } from "../codec/columns/decision-columns.ts";
import { toChangingEntryColumns, toEntryColumns } from "../codec/columns/entry-columns.ts";
import { toRunColumns } from "../codec/columns/run-columns.ts";
import { toMetadataColumns, toThreadColumns } from "../codec/columns/thread-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import { callIdKey, idKey } from "../codec/id-key.ts";
import { storeText } from "../codec/stored-text.ts";
import type { HeadColumns, HeldCondition } from "../kernel/held-write.ts";
import type { EntryRow, ThreadRow } from "../kernel/rows.ts";
import type { CommitWrite, Write } from "../kernel/write.ts";
import { DELETIONS, RARE, type RareKind } from "./rare-statements.ts";
import { type Results, rowsOf } from "./session.ts";
import type { Query } from "./statement.ts";
import type { Row } from "./table.ts";
import { writeRows } from "./write-statement.ts";
import { TOUCHED, WRITTEN, type WrittenKind } from "./written-rows.ts";

/** The head as a plan without reading knew it, and what of it the plan may touch. */
export interface HeldHead {
  readonly condition: HeldCondition | null;
  readonly columns: HeadColumns;
}

/** What the server said of a batch. */
export interface BatchAnswer {
  /** The numbers of the plans that were written. */
  readonly written: ReadonlySet<number>;
  readonly now: number;
}

/**
 * The writes of many plans as one statement, and a few more for what is seldom written. Plans of one batch are about different
 * threads. Each plan with a head is written as a whole, or not at all when its head is not what it was.
 */
export class WriteBatch {
  readonly #rows: Record<WrittenKind, Row[]> = {
    heads: [],
    commits: [],
    ids: [],
    runs: [],
    entries: [],
    decisions: [],
    suspended: [],
    superseded: [],
    refs: [],
  };
  readonly #rare = new Map<RareKind, Row[]>();
  #plans = 0;

  /** Adds a plan on rows that were locked and read. `stored` is the thread as it was. */
  add(writes: readonly Write[], thread: ThreadKey, stored: ThreadRow | undefined): number {
    return this.#addPlan(writes, thread, (row, is_new) => {
      if (stored !== undefined && row.thread.metadata !== stored.thread.metadata) {
        // Metadata that was not replaced is the very object that was read.
        this.#putRare("metadata", { ...thread, ...toMetadataColumns(row.thread.metadata) });
      }
      return { is_new: is_new ? 1 : 0, touched: TOUCHED.whole, ...ANY_HEAD };
    });
  }

  /** Adds a plan on what was held of a thread. */
  addHeld(writes: readonly Write[], thread: ThreadKey, { condition, columns }: HeldHead): number {
    const known =
      condition === null
        ? ANY_HEAD
        : {
            known_version: condition.version,
            known_digest: condition.digest,
            known_epoch: condition.claim_epoch,
            known_revision: condition.revision,
          };
    return this.#addPlan(writes, thread, () => ({
      is_new: condition === null ? 1 : 0,
      touched: TOUCHED[columns],
      ...known,
    }));
  }

  /** Nothing when nothing is to be written. */
  get queries(): readonly Query[] {
    const main = this.#rows.heads.length === 0 ? [] : [writeRows(this.#rows)];
    return [...main, ...KINDS.flatMap((kind) => this.#rareQuery(kind))];
  }

  /** What came of it, given the results of the queries. A plan without a head is always written. */
  answer(results: Results): BatchAnswer {
    const headless = new Set(Array.from({ length: this.#plans }, (_, n) => n));
    const [answer] = rowsOf<{ readonly ours: string; readonly now: number }>(results);
    if (this.#rows.heads.length === 0 || answer === undefined) return { written: headless, now: 0 };
    for (const { n } of this.#rows.heads) headless.delete(Number(n));
    const ours = answer.ours === "" ? [] : answer.ours.split(",").map(Number);
    return { written: new Set([...headless, ...ours]), now: answer.now };
  }

  #addPlan(writes: readonly Write[], thread: ThreadKey, toHead: (row: ThreadRow, isNew: boolean) => Row): number {
    const n = this.#plans;
    this.#plans += 1;
    for (const write of writes) {
      if (write.write !== "thread") this.#add(write, n, thread);
      else {
        const { row, is_new } = write;
        const metadata = is_new ? toMetadataColumns(row.thread.metadata) : NO_METADATA;
        const columns = { tenant: thread.tenant, ...toThreadColumns(row), ...metadata };
        this.#rows.heads.push({ n, ...toHead(row, is_new), ...columns });
      }
    }
    return n;
  }

  #add(write: Exclude<Write, { readonly write: "thread" }>, n: number, thread: ThreadKey): void {
    const { tenant } = thread;
    switch (write.write) {
      case "delete_thread":
        for (const kind of DELETIONS) this.#putRare(kind, { ...thread });
        if (write.epoch > 0) this.#putRare("retire_epoch", { ...thread, epoch: write.epoch });
        return;
      case "entry":
        return this.#addEntry(write.row, write.is_new, { n, tenant });
      case "run": {
        const is_new = write.before === undefined ? 1 : 0;
        this.#rows.runs.push({ n, is_new, tenant, ...toRunColumns(write.row) });
        return;
      }
      case "suspended": {
        const { run_id, call_id } = write.call;
        const key = { tenant, run_id: escapeText(run_id), call_id: idKey(call_id) };
        const { pending_id } = write;
        const pending_key = pending_id === null ? null : idKey(pending_id);
        this.#rows.suspended.push({ n, is_new: pending_id === null ? 0 : 1, ...key, pending_key });
        return;
      }
      case "decision": {
        const run_id = escapeText(write.row.decision.run_id);
        const call_key = idKey(write.row.decision.call_id);
        const columns = { tenant, run_id, call_key, ...toDecisionColumns(write.row) };
        this.#rows.decisions.push({ n, is_new: write.is_new ? 1 : 0, ...columns });
        return;
      }
      case "commit":
        return this.#addCommit(write, n);
      case "refer":
        for (const ref of write.refs) this.#rows.refs.push({ n, tenant, ref });
        return;
      case "supersede":
        this.#rows.superseded.push({ n, ...write.range });
        return;
      case "snapshot":
        return this.#putRare("snapshot", { ...thread, version: write.version, ...storeText(write.state) });
      case "prune":
        this.#putRare("prune_commits", { ...thread, up_to: write.up_to });
        return this.#putRare("prune_snapshots", { ...thread, up_to: write.up_to });
      case "forget_entries":
        for (const id of write.entry_ids) this.#putRare("forget_entry", { tenant, entry_id: escapeText(id) });
        return;
      default:
        return write satisfies never;
    }
  }

  #addEntry(row: EntryRow, isNew: boolean, plan: { readonly n: number; readonly tenant: string }): void {
    const { entry_id, dedupe_key } = row.entry;
    if (!isNew) {
      const columns = { entry_id: escapeText(entry_id), ...toChangingEntryColumns(row) };
      this.#rows.entries.push({ ...NO_ENTRY, ...plan, is_new: 0, ...columns });
      return;
    }
    const dedupe_id = dedupe_key === undefined ? null : idKey(dedupe_key);
    this.#rows.entries.push({ ...plan, is_new: 1, ...toEntryColumns(row), dedupe_id });
  }

  #addCommit(write: CommitWrite, n: number): void {
    const { changeset, version, first_position, new_calls } = write;
    const { commits, ids } = this.#rows;
    for (const columns of toCommitColumns(write)) commits.push({ n, ...columns });
    ids.push({ n, kind: "changeset", id: idKey(changeset.changeset_id), number: version });
    for (const [index, id] of changeset.message_ids.entries()) {
      ids.push({ n, kind: "message", id: idKey(id), number: first_position + index });
    }
    for (const call of new_calls) ids.push({ n, kind: "call", id: callIdKey(call), number: version });
  }

  #putRare(kind: RareKind, row: Row): void {
    const rows = this.#rare.get(kind);
    if (rows === undefined) this.#rare.set(kind, [row]);
    else rows.push(row);
  }

  #rareQuery(kind: RareKind): readonly Query[] {
    const rows = this.#rare.get(kind);
    return rows === undefined ? [] : [RARE[kind](rows)];
  }
}

// The statements are in the order of their execution.
const KINDS = Object.keys(RARE) as readonly RareKind[];

const ANY_HEAD = { known_version: null, known_digest: null, known_epoch: null, known_revision: null } as const;

const NO_METADATA = { format: null, checksum: null, metadata: null } as const;

/** The columns of an entry that an update leaves alone. */
const NO_ENTRY: Row = Object.fromEntries(Object.keys(WRITTEN.entries).map((name) => [name, null]));
