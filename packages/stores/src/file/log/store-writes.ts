import { isTerminal, TOOL_CALL_TRANSITIONS } from "@reprise/contracts";
import { COMMIT_TEXTS } from "../../codec/columns/commit-columns.ts";
import { STORED_FORMAT } from "../../codec/stored-text.ts";
import type { ThreadRow } from "../../kernel/rows.ts";
import type { CommitWrite, Write } from "../../kernel/write.ts";
import type { ThreadTables } from "../../tables/thread-tables.ts";
import { LineContent } from "./line-content.ts";
import { storeRow } from "./stored-rows.ts";
import type { StoredCommit, StoredRow, StoredWrite } from "./stored-write.ts";

/** The writes of a plan as they go into a log: what they do to the rows, and the texts they bring. */
export interface StoredPlan {
  readonly writes: readonly StoredWrite[];
  readonly content: string | undefined;
}

/** A write that a log can hold; deleting a thread is done to its file. */
export type LoggedWrite = Exclude<Write, { readonly write: "delete_thread" }>;

/** Writes a plan down, as the difference to what is in the tables. */
export function storeWrites(thread: ThreadTables, writes: readonly LoggedWrite[]): StoredPlan {
  const content = new LineContent();
  const stored = writes.map((write) => storeWrite(thread, write, content));
  return { writes: stored.filter((write) => write !== undefined), content: content.text };
}

function storeWrite(thread: ThreadTables, write: LoggedWrite, content: LineContent): StoredWrite | undefined {
  const { tables } = thread.tenant;
  switch (write.write) {
    case "thread":
      return withCounts(storeRow(thread, write, write.is_new ? tables.nextOrder() : undefined), write.row);
    case "entry":
    case "decision":
      return storeRow(thread, write, write.is_new ? tables.nextOrder() : undefined);
    case "run":
      return storeRow(thread, write, write.before === undefined ? tables.nextOrder() : undefined);
    case "suspended": {
      return { ...write, ...(write.pending_id === null ? {} : { order: tables.nextOrder() }) };
    }
    case "commit":
      return storeCommit(write, content);
    case "snapshot": {
      const part = content.add(["state"], { state: write.state });
      return { write: "snapshot", version: write.version, format: STORED_FORMAT, part };
    }
    default:
      return write;
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

function storeCommit(write: CommitWrite, content: LineContent): StoredCommit {
  const { version, first_position, epoch, digest, changeset } = write;
  const { changeset_id, run_id, message_ids, segments, calls, parts } = changeset;
  const ended = calls.filter(({ status }) => isTerminal(TOOL_CALL_TRANSITIONS, status));
  return {
    write: "commit",
    version,
    changeset_id,
    run_id,
    epoch,
    digest,
    first_position,
    message_ids,
    shown_count: parts.reduce((sum, part) => sum + part.shown_count, 0),
    segments,
    ended_calls: ended.map(({ run_id, call_id, status, suspension }) => ({ run_id, call_id, status, suspension })),
    has_calls: calls.length > 0,
    has_patches: parts.some(({ patches }) => patches !== "[]"),
    format: STORED_FORMAT,
    parts: parts.map((part) => content.add(COMMIT_TEXTS, part)),
  };
}
