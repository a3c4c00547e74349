import { clampLimit, type MessagePage, type MessageQuery } from "@reprise/contracts";
import { openStoredMessage } from "../codec/open-changeset.ts";
import type { MessageSelection, PositionedMessage } from "./row-reader.ts";

/** What to read for a page: one message more than it holds says whether there are more. */
export function selectMessages(query: MessageQuery): MessageSelection {
  const { after = -1, before = Number.MAX_SAFE_INTEGER, order = "asc", visibility = "all", run_id } = query;
  return {
    first: wholeNumber(Math.floor(after) + 1),
    last: wholeNumber(Math.ceil(before)) - 1,
    order,
    visibility,
    include_superseded: query.include_superseded ?? false,
    ...(run_id === undefined ? {} : { run_id }),
    limit: clampLimit(query.limit) + 1,
  };
}

function wholeNumber(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(value, 0), Number.MAX_SAFE_INTEGER);
}

export function toMessagePage(rows: readonly PositionedMessage[], { limit }: MessageSelection): MessagePage {
  const messages = rows.slice(0, limit - 1).map((row) => ({ ...openStoredMessage(row), cursor: row.position }));
  const [first, last] = [messages[0], messages.at(-1)];
  return {
    messages,
    has_more: rows.length === limit,
    ...(last === undefined ? {} : { next_cursor: last.cursor }),
    ...(first === undefined ? {} : { prev_cursor: first.cursor }),
  };
}
