import { STORED_FORMAT } from "../../codec/stored-text.ts";
import type { EntryRow, ThreadRow } from "../../kernel/rows.ts";
import type { ChangesetWrite, Write } from "../../kernel/write.ts";
import { type Content, contentOf } from "../log/content.ts";
import { decisionKey } from "./cells.ts";
import { changeOf } from "./row-change.ts";
import type { StoredRow, StoredVersion, StoredWrite } from "./stored-write.ts";
import type { ThreadTables } from "./thread-tables.ts";

/** The writes of a plan as they go into a log: what they do to the rows, and the texts they bring. */
export interface StoredPlan {
  readonly writes: readonly StoredWrite[];
  readonly contents: readonly Content[];
}

/** A write that a log can hold; deleting a thread is done to its file. */
export type LoggedWrite = Exclude<Write, { readonly write: "delete_thread" }>;

/** Writes a plan down, as the difference to what is in the tables. */
export function storeWrites(thread: ThreadTables, writes: readonly LoggedWrite[]): StoredPlan {
  const contents: Content[] = [];
  const stored = writes.map((write) => storeWrite(thread, write, (content) => contents.push(content) - 1));
  return { writes: stored.filter((write) => write !== undefined), contents };
}

function storeWrite(
  thread: ThreadTables,
  write: LoggedWrite,
  addContent: (content: Content) => number,
): StoredWrite | undefined {
  const { tenant } = thread;
  switch (write.write) {
    case "thread": {
      const row = { key: [], ...partsOfThread(write.row) };
      return withCounts(storeRow(thread, write, row, thread.row && partsOfThread(thread.row)), write.row);
    }
    case "entry": {
      const row = { key: [write.row.entry.entry_id], ...partsOfEntry(write.row) };
      const before = tenant.entries.get(write.row.entry.entry_id)?.row;
      return storeRow(thread, write, row, before && partsOfEntry(before));
    }
    case "run": {
      const { record } = write.row;
      const before = thread.runs.get(record.run_id)?.record;
      return storeRow(thread, write, { key: [record.run_id], main: record }, before && { main: before });
    }
    case "call": {
      const { row } = write;
      const before = thread.runs.get(row.run_id)?.calls.get(row.call_id)?.row;
      return storeRow(thread, write, { key: [row.run_id, row.call_id], main: row }, before && { main: before });
    }
    case "decision": {
      const { decision: main, ...rest } = write.row;
      const { run_id, call_id, suspension } = main;
      const before = thread.runs.get(run_id)?.decisions.get(decisionKey(call_id, suspension))?.row;
      const parts = before && { main: before.decision, rest: { ...before, decision: undefined } };
      return storeRow(thread, write, { key: [run_id, call_id, suspension], main, rest }, parts);
    }
    case "changeset":
      return storeVersion(write, addContent(contentOf(write.changeset)));
    case "snapshot": {
      const item = addContent({ format: STORED_FORMAT, state: write.state });
      return { write: "snapshot", version: write.version, item };
    }
    case "supersede":
    case "prune":
    case "forget_entries":
      return write;
    default:
      return write satisfies never;
  }
}

/** With every line it is said how far the thread is: when another line is lost, one can see what was in it. */
function withCounts(stored: StoredRow | undefined, { thread, epoch, messages }: ThreadRow): StoredRow | undefined {
  if (stored === undefined) return undefined;
  const { main = {}, rest = {} } = stored;
  return {
    ...stored,
    main: { ...main, set: { ...main.set, version: thread.version } },
    rest: { ...rest, set: { ...rest.set, epoch, messages } },
  };
}

interface RowParts {
  readonly main: object;
  readonly rest?: object;
}

export function partsOfThread({ thread: main, ...rest }: ThreadRow): RowParts {
  return { main, rest };
}

export function partsOfEntry({ entry: main, ...rest }: EntryRow): RowParts {
  return { main, rest };
}

function storeRow(
  { tenant }: ThreadTables,
  { write, is_new }: { readonly write: StoredRow["write"]; readonly is_new: boolean },
  { key, main, rest }: RowParts & Pick<StoredRow, "key">,
  before: RowParts | undefined,
): StoredRow | undefined {
  const changes = {
    main: changeOf(main, is_new ? undefined : before?.main),
    rest: rest && changeOf(rest, is_new ? undefined : before?.rest),
  };
  if (!is_new && changes.main === undefined && changes.rest === undefined) return undefined;
  return {
    write,
    key,
    ...(is_new ? { order: tenant.tables.nextOrder() } : {}),
    ...(changes.main === undefined ? {} : { main: changes.main }),
    ...(changes.rest === undefined ? {} : { rest: changes.rest }),
  };
}

function storeVersion({ version, first_position, epoch, changeset }: ChangesetWrite, item: number): StoredVersion {
  return {
    write: "changeset",
    version,
    changeset_id: changeset.changeset_id,
    run_id: changeset.run_id,
    first_position,
    epoch,
    messages: changeset.messages.map(({ id, is_internal }) => (is_internal ? [id] : id)),
    segments: changeset.segments.map(({ run_id, first_seq, last_seq }) => [run_id, first_seq, last_seq]),
    has_patches: changeset.patches !== "",
    item,
  };
}
