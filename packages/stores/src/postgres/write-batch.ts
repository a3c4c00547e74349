import { checksumOf } from "../codec/checksum.ts";
import { toCallColumns } from "../codec/columns/call-columns.ts";
import { toDecisionColumns } from "../codec/columns/decision-columns.ts";
import { toChangingEntryColumns, toEntryColumns } from "../codec/columns/entry-columns.ts";
import { toRunColumns } from "../codec/columns/run-columns.ts";
import { toMetadataColumns, toThreadColumns } from "../codec/columns/thread-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import { PRUNED, storeText } from "../codec/stored-text.ts";
import type { EntryRow, ThreadRow } from "../kernel/rows.ts";
import type { ChangesetWrite, Write } from "../kernel/write.ts";
import { Filing, type StoredNumbers } from "./filing.ts";
import { toSegmentList } from "./segment-list.ts";
import type { Query } from "./statement.ts";
import type { Row } from "./table.ts";
import { WRITES, type WriteKind } from "./write-statements.ts";

/** The thread that a plan is about. `stored` is its row before, and the numbers are those of what was there before. */
export interface WritePlace extends StoredNumbers {
  readonly tenant: string;
  readonly thread_id: string;
  readonly stored: ThreadRow | undefined;
}

/**
 * The writes of many plans, table by table, in the order in which everybody goes through the tables: so nobody waits for
 * somebody who waits for them. Plans of one batch are about different threads, so that the order of their rows does not matter.
 */
export class WriteBatch {
  readonly #rows = new Map<WriteKind, Row[]>();

  add(writes: readonly Write[], place: WritePlace): void {
    const runIds = writes.flatMap((write) => (write.write === "run" ? [write.row.record.run_id] : []));
    const filing = new Filing(place, runIds);
    for (const write of writes) this.#add(write, place, filing);
  }

  /** Nothing when nothing is to be written. */
  get queries(): readonly Query[] {
    return KINDS.flatMap((kind) => {
      const rows = this.#rows.get(kind);
      return rows === undefined ? [] : [WRITES[kind](rows)];
    });
  }

  #put(kind: WriteKind, row: Row): void {
    const rows = this.#rows.get(kind);
    if (rows === undefined) this.#rows.set(kind, [row]);
    else rows.push(row);
  }

  #add(write: Write, place: WritePlace, filing: Filing): void {
    const { tenant, thread_id } = place;
    switch (write.write) {
      case "thread":
        return this.#addThread(write.row, place);
      case "delete_thread":
        this.#put("delete_decisions", { tenant, thread_id });
        for (const kind of DELETIONS) this.#put(kind, { tenant, thread_id });
        if (write.epoch > 0) this.#put("retire_epoch", { tenant, thread_id, epoch: write.epoch });
        return;
      case "entry":
        return this.#addEntry(write.row, write.is_new, filing);
      case "run":
        if (!write.is_new) return this.#put("update_run", { tenant, ...toRunColumns(write.row.record) });
        return this.#put("insert_run", { ...filing.thread, ...toRunColumns(write.row.record) });
      case "call": {
        const { run_id } = write.row;
        const columns = toCallColumns(write.row);
        if (write.is_new) return this.#put("insert_call", { ...filing.thread, ...filing.run(run_id), ...columns });
        return this.#put("update_call", { ...filing.storedRun(run_id), ...columns });
      }
      case "decision": {
        const columns = { tenant, run_id: escapeText(write.row.decision.run_id), ...toDecisionColumns(write.row) };
        return this.#put(write.is_new ? "insert_decision" : "update_decision", columns);
      }
      case "changeset":
        return this.#addChangeset(write, filing);
      case "supersede":
        for (const messageId of write.message_ids) {
          const id = escapeText(messageId);
          const superseded_version = write.version;
          this.#put("supersede", { tenant, thread_id, id_hash: checksumOf(id), id, superseded_version });
        }
        return;
      case "snapshot":
        return this.#put("snapshot", { ...filing.thread, version: write.version, ...storeText(write.state) });
      case "prune": {
        const cut = { tenant, thread_id, up_to: write.up_to };
        this.#put("prune_segments", cut);
        this.#put("prune_changesets", { ...cut, ...PRUNED });
        return this.#put("prune_snapshots", cut);
      }
      case "forget_entries":
        for (const id of write.entry_ids) this.#put("forget_entry", { tenant, entry_id: escapeText(id) });
        return;
      default:
        return write satisfies never;
    }
  }

  #addThread(row: ThreadRow, { tenant, thread_id, stored }: WritePlace): void {
    const columns = { tenant, ...toThreadColumns(row) };
    if (stored === undefined) {
      return this.#put("insert_thread", { ...columns, ...toMetadataColumns(row.thread.metadata) });
    }
    this.#put("update_thread", columns);
    // Metadata that nobody replaced is the very object that was read.
    if (row.thread.metadata === stored.thread.metadata) return;
    this.#put("update_metadata", { tenant, thread_id, ...toMetadataColumns(row.thread.metadata) });
  }

  #addEntry(row: EntryRow, isNew: boolean, { thread }: Filing): void {
    if (!isNew) {
      const { tenant } = thread;
      const entry_id = escapeText(row.entry.entry_id);
      return this.#put("update_entry", { tenant, entry_id, ...toChangingEntryColumns(row) });
    }
    const columns = toEntryColumns(row);
    const dedupe_hash = columns.dedupe_key === null ? null : checksumOf(columns.dedupe_key);
    this.#put("insert_entry", { ...thread, ...columns, dedupe_hash });
  }

  #addChangeset({ changeset, version, first_position, epoch }: ChangesetWrite, filing: Filing): void {
    const { changeset_id, run_id, segments, messages } = changeset;
    const { thread } = filing;
    const patches = storeText(changeset.patches);
    for (const { run_id, first_seq, last_seq, body } of segments) {
      const { tenant } = thread;
      this.#put("insert_segment", {
        tenant,
        ...filing.run(run_id),
        ...{ first_seq, last_seq, epoch, version },
        ...storeText(body),
      });
    }
    this.#put("insert_changeset", {
      ...thread,
      ...filing.runOfChangeset(run_id),
      version,
      changeset_id,
      id_hash: checksumOf(changeset_id),
      first_position,
      messages: messages.length,
      segments: toSegmentList(segments, run_id),
      ...storeText(changeset.body),
      patches_checksum: patches.checksum,
      patches: patches.body,
    });
    for (const [index, { id: messageId, is_internal, body }] of messages.entries()) {
      const id = escapeText(messageId);
      const place = { position: first_position + index, version, is_internal: is_internal ? 1 : 0 };
      this.#put("insert_message", { ...thread, ...place, id, id_hash: checksumOf(id), ...storeText(body) });
    }
  }
}

// The statements are in the order of their execution.
const KINDS = Object.keys(WRITES) as readonly WriteKind[];

const DELETIONS = [
  "delete_segments",
  "delete_calls",
  "delete_runs",
  "delete_entries",
  "delete_messages",
  "delete_changesets",
  "delete_snapshots",
  "delete_thread",
] as const;
