import { isTerminal, RepriseError, TOOL_CALL_TRANSITIONS } from "@reprise/contracts";
import { storeText } from "../codec/stored-text.ts";
import type { CommitWrite, Write } from "../kernel/write.ts";
import { freezeDeep } from "../tables/freeze-deep.ts";
import type { TableWrite } from "../tables/table-write.ts";
import type { ThreadTables } from "../tables/thread-tables.ts";
import { MemoryCommit } from "./memory-commit.ts";

/** A write of the kernel for the tables, with its content. */
export function toTableWrite(
  thread: ThreadTables,
  write: Exclude<Write, { readonly write: "delete_thread" }>,
): TableWrite {
  const { tables } = thread.tenant;
  switch (write.write) {
    // Of rows, these parts are lent out.
    case "thread":
      freezeDeep(write.row.thread);
      return { write: "thread", row: write.row, order: write.is_new ? tables.nextOrder() : undefined };
    case "entry":
      freezeDeep(write.row.entry);
      return { write: "entry", row: write.row, order: write.is_new ? tables.nextOrder() : undefined };
    case "decision":
      freezeDeep(write.row.decision);
      return { write: "decision", row: write.row, order: write.is_new ? tables.nextOrder() : undefined };
    case "run":
      freezeDeep(write.row.record);
      return { write: "run", row: write.row, order: write.before === undefined ? tables.nextOrder() : undefined };
    case "suspended":
      return { ...write, order: write.pending_id === null ? undefined : tables.nextOrder() };
    case "commit":
      return toCommit(thread, write);
    case "snapshot": {
      const { version, state } = write;
      return { write: "snapshot", cell: { version, load: async () => storeText(state) } };
    }
    default:
      return write;
  }
}

function toCommit({ commits }: ThreadTables, write: CommitWrite): TableWrite {
  const { message_ids, calls, open } = write.changeset;
  if (open === undefined) throw new RepriseError("INTERNAL", "A changeset was sealed for another store.");
  const { last } = commits;
  return {
    write: "commit",
    cell: new MemoryCommit(write, open, last instanceof MemoryCommit ? last : undefined),
    message_ids,
    ended_calls: calls.filter(({ status }) => isTerminal(TOOL_CALL_TRANSITIONS, status)),
  };
}
