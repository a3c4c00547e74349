import { clampLimit, type Message, type MessagePage, type MessageQuery } from "@reprise/contracts";
import type { ThreadCell } from "./thread-cell.ts";

/** One page of a thread's messages. Reads from the cursor on and stops when the page is full. */
export function pageMessages(cell: ThreadCell, query: MessageQuery): MessagePage {
  const limit = clampLimit(query.limit);
  const found: (Message & { readonly cursor: number })[] = [];
  for (const position of positions(cell.messages.length, query)) {
    const stored = cell.messages[position];
    if (stored === undefined || !isWanted(cell, position, query)) continue;
    if (found.length === limit) return describePage(found, true);
    found.push({ ...stored.message, cursor: position });
  }
  return describePage(found, false);
}

function describePage(messages: MessagePage["messages"], hasMore: boolean): MessagePage {
  const [first, last] = [messages[0], messages.at(-1)];
  return {
    messages,
    has_more: hasMore,
    ...(last === undefined ? {} : { next_cursor: last.cursor }),
    ...(first === undefined ? {} : { prev_cursor: first.cursor }),
  };
}

function* positions(length: number, { after = -1, before = length, order = "asc" }: MessageQuery): Iterable<number> {
  const first = Math.max(Math.floor(after) + 1, 0);
  const last = Math.min(Math.ceil(before), length) - 1;
  if (order === "asc") for (let position = first; position <= last; position += 1) yield position;
  else for (let position = last; position >= first; position -= 1) yield position;
}

function isWanted(cell: ThreadCell, position: number, query: MessageQuery): boolean {
  const stored = cell.messages[position];
  const { visibility = "all", run_id, include_superseded = false } = query;
  if (visibility !== "any" && (stored?.message.visibility ?? "all") !== visibility) return false;
  if (run_id !== undefined && stored?.runId !== run_id) return false;
  return include_superseded || !cell.superseded.has(position);
}
