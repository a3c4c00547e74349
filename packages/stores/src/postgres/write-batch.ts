import { checksumOf } from "../codec/checksum.ts";
import { toCallColumns } from "../codec/columns/call-columns.ts";
import { optionalText } from "../codec/columns/column-values.ts";
import { toDecisionColumns } from "../codec/columns/decision-columns.ts";
import { toChangingEntryColumns, toEntryColumns } from "../codec/columns/entry-columns.ts";
import { toRunColumns } from "../codec/columns/run-columns.ts";
import { toMetadataColumns, toThreadColumns } from "../codec/columns/thread-columns.ts";
import { escapeText } from "../codec/escape-text.ts";
import { storeText } from "../codec/stored-text.ts";
import type { EntryRow, ThreadRow } from "../kernel/rows.ts";
import type { ChangesetWrite, Write } from "../kernel/write.ts";
import { toSegmentList } from "./segment-list.ts";
import type { Query } from "./statement.ts";
import type { Row } from "./table.ts";
import { WRITES, type WriteKind } from "./write-statements.ts";

/** The thread that a plan is about. `stored` is its row before. */
export interface WritePlace {
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
    for (const write of writes) this.#add(write, place);
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

  #add(write: Write, place: WritePlace): void {
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
        return this.#addEntry(write.row, write.is_new, place);
      case "run":
        return this.#put(write.is_new ? "insert_run" : "update_run", {
          tenant,
          thread_id,
          ...toRunColumns(write.row.record),
        });
      case "call": {
        const key = { tenant, run_id: escapeText(write.row.run_id) };
        const columns = toCallColumns(write.row);
        if (write.is_new) return this.#put("insert_call", { ...key, thread_id, ...columns });
        return this.#put("update_call", { ...key, ...columns });
      }
      case "decision": {
        const columns = { tenant, run_id: escapeText(write.row.decision.run_id), ...toDecisionColumns(write.row) };
        return this.#put(write.is_new ? "insert_decision" : "update_decision", columns);
      }
      case "changeset":
        return this.#addChangeset(write, place);
      case "supersede":
        for (const messageId of write.message_ids) {
          const id = escapeText(messageId);
          const superseded_version = write.version;
          this.#put("supersede", { tenant, thread_id, id_hash: checksumOf(id), id, superseded_version });
        }
        return;
      case "snapshot":
        return this.#put("snapshot", { tenant, thread_id, version: write.version, ...storeText(write.state) });
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

  #addEntry(row: EntryRow, isNew: boolean, { tenant, thread_id }: WritePlace): void {
    if (!isNew) {
      const entry_id = escapeText(row.entry.entry_id);
      return this.#put("update_entry", { tenant, entry_id, ...toChangingEntryColumns(row) });
    }
    const columns = toEntryColumns(row);
    const dedupe_hash = columns.dedupe_key === null ? null : checksumOf(columns.dedupe_key);
    this.#put("insert_entry", { tenant, thread_id, ...columns, dedupe_hash });
  }

  #addChangeset(
    { changeset, version, first_position, epoch }: ChangesetWrite,
    { tenant, thread_id }: WritePlace,
  ): void {
    const { changeset_id, run_id, segments, messages } = changeset;
    const patches = storeText(changeset.patches);
    for (const { run_id, first_seq, last_seq, body } of segments) {
      const place = { tenant, run_id: escapeText(run_id), thread_id, version };
      this.#put("insert_segment", { ...place, first_seq, last_seq, epoch, ...storeText(body) });
    }
    this.#put("insert_changeset", {
      tenant,
      thread_id,
      version,
      changeset_id,
      id_hash: checksumOf(changeset_id),
      run_id: optionalText(run_id),
      first_position,
      messages: messages.length,
      segments: toSegmentList(segments, run_id),
      ...storeText(changeset.body),
      patches_checksum: patches.checksum,
      patches: patches.body,
    });
    for (const [index, { id: messageId, is_internal, body }] of messages.entries()) {
      const id = escapeText(messageId);
      const place = { tenant, thread_id, position: first_position + index, version };
      const text = storeText(body);
      this.#put("insert_message", { ...place, id, id_hash: checksumOf(id), is_internal: is_internal ? 1 : 0, ...text });
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
