import { damaged } from "../../codec/stored-text.ts";
import type { MessageSelection, PositionedMessage } from "../../shell/row-reader.ts";
import type { MessageCell } from "../tables/cells.ts";
import type { ThereThread } from "./find-thread.ts";
import { loadRows } from "./stored-rows.ts";

/** A message, and the version that superseded it. */
export interface MarkedMessage extends PositionedMessage {
  readonly superseded_version: number | null;
}

/** One page of a thread's messages. */
export async function readPage(
  thread: ThereThread,
  selection: MessageSelection,
): Promise<readonly PositionedMessage[]> {
  const first = selection.first;
  const last = Math.min(selection.last, thread.row.messages - 1);
  const chosen: MessageCell[] = [];
  const [start, step] = selection.order === "asc" ? [first, 1] : [last, -1];
  for (let position = start; position >= first && position <= last; position += step) {
    const cell = messageAt(thread, position);
    if (isSelected(cell, selection)) chosen.push(cell);
    if (chosen.length === selection.limit) break;
  }
  return withTexts(thread, chosen);
}

/** All messages from a position up to another one. */
export async function readRange(
  thread: ThereThread,
  from: number,
  end: number = thread.row.messages,
): Promise<readonly MarkedMessage[]> {
  const chosen: MessageCell[] = [];
  for (let position = Math.ceil(from); position < end; position += 1) chosen.push(messageAt(thread, position));
  return withTexts(thread, chosen);
}

async function withTexts(thread: ThereThread, cells: readonly MessageCell[]): Promise<readonly MarkedMessage[]> {
  // As it is now: by the time the texts are read it may be another.
  const superseded = cells.map((cell) => cell.superseded_version);
  const rows = await loadRows(
    thread,
    cells.map(({ from }) => from),
  );
  if (rows === undefined) return [];
  return cells.map((cell, index) => ({
    ...rows.message(cell),
    position: cell.position,
    is_superseded: superseded[index] != null,
    superseded_version: superseded[index] ?? null,
  }));
}

/** The line that brought it cannot be read when it is not there. */
function messageAt({ messages }: ThereThread, position: number): MessageCell {
  const cell = messages.get(position);
  if (cell === undefined) throw damaged("message");
  return cell;
}

function isSelected(cell: MessageCell, { visibility, include_superseded, run_id }: MessageSelection): boolean {
  if (visibility !== "any" && cell.is_internal !== (visibility === "internal")) return false;
  if (!include_superseded && cell.superseded_version !== null) return false;
  return run_id === undefined || cell.from.run_id === run_id;
}
