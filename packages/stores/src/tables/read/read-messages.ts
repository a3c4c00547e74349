import { damaged } from "../../codec/stored-text.ts";
import type { MessageRow, MessageRows, MessageSelection } from "../../shell/row-reader.ts";
import type { CommitCell } from "../cells.ts";
import type { ThereThread } from "./find-thread.ts";
import { loadContents } from "./load-contents.ts";

/** The commits with messages that were asked for. */
export async function readMessages(thread: ThereThread, selection: MessageSelection): Promise<MessageRows> {
  const cells = chooseCommits(thread, selection);
  const superseded = [...thread.superseded];
  const contents = (await loadContents(cells)) ?? [];
  const rows = contents.map((content, index): MessageRow => {
    const { first_position = 0, message_count = 0, run_id = null } = cells[index] ?? {};
    return { first_position, message_count, run_id, open: () => content.messages() };
  });
  return { rows, superseded };
}

/** Throws `CORRUPT_DATA` where a commit is missing. */
function chooseCommits(
  thread: ThereThread,
  { first, last: asked, order, only_shown, run_id, limit = Number.POSITIVE_INFINITY }: MessageSelection,
): readonly CommitCell[] {
  const chosen: CommitCell[] = [];
  const last = Math.min(asked, thread.row.messages - 1);
  // The position that has to be in the next commit.
  let next = order === "asc" ? first : last;
  for (const cell of thread.commits.withMessages(first, last, order)) {
    const { first_position, message_count } = cell;
    if (next < first_position || next >= first_position + message_count) break;
    next = order === "asc" ? first_position + message_count : first_position - 1;
    const isAsked = (run_id === undefined || cell.run_id === run_id) && (!only_shown || cell.shown_count > 0);
    if (isAsked) chosen.push(cell);
    if (chosen.length === limit) return chosen;
  }
  if (next >= first && next <= last) throw damaged("commit");
  return chosen;
}
