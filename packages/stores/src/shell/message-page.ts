import { clampLimit, type Message, type MessagePage, type MessageQuery } from "@reprise/contracts";
import type { SupersededRange } from "../kernel/rows.ts";
import type { MessageRow, MessageSelection, RowReader } from "./row-reader.ts";

type PositionedMessage = Message & { readonly cursor: number };

/** The fewest rows that are read at once: most commits have one or two messages, and some of them may be left out. */
const FEWEST_ROWS = 16;

/** One page of a thread's messages. Commits are read until the page is full and one message more says that there are others. */
export async function pageMessages(
  read: (selection: MessageSelection) => ReturnType<RowReader["readMessages"]>,
  query: MessageQuery,
): Promise<MessagePage> {
  const limit = clampLimit(query.limit);
  const messages: PositionedMessage[] = [];
  let range = rangeOf(query);
  for (;;) {
    const asked = Math.max(limit + 1 - messages.length, FEWEST_ROWS);
    const { rows, superseded } = await read({ ...range, limit: asked });
    for (const row of rows) messages.push(...pick(row, { query, range, superseded }));
    const last = rows.at(-1);
    if (messages.length > limit || last === undefined || rows.length < asked) break;
    range = { ...range, ...rest(range, last) };
  }
  return toPage(messages.slice(0, limit), messages.length > limit);
}

function rangeOf(query: MessageQuery): Omit<MessageSelection, "limit"> {
  const { after = -1, before = Number.MAX_SAFE_INTEGER, order = "asc", visibility = "all", run_id } = query;
  return {
    first: wholeNumber(Math.floor(after) + 1),
    last: wholeNumber(Math.ceil(before)) - 1,
    order,
    only_shown: visibility === "all",
    ...(run_id === undefined ? {} : { run_id }),
  };
}

function wholeNumber(value: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(value, 0), Number.MAX_SAFE_INTEGER);
}

/** What is left of a range behind a row. */
function rest({ order }: Pick<MessageSelection, "order">, row: MessageRow): Partial<MessageSelection> {
  return order === "asc" ? { first: row.first_position + row.message_count } : { last: row.first_position - 1 };
}

interface Picking {
  readonly query: MessageQuery;
  readonly range: Pick<MessageSelection, "first" | "last" | "order">;
  readonly superseded: readonly SupersededRange[];
}

/** The messages of a row that were asked for, in the order of reading. */
function pick(row: MessageRow, { query, range, superseded }: Picking): readonly PositionedMessage[] {
  const { visibility = "all", include_superseded = false } = query;
  const messages = row.open().map((message, index) => ({ ...message, cursor: row.first_position + index }));
  const picked = messages.filter((message) => {
    const isInternal = message.visibility === "internal";
    const isAsked = message.cursor >= range.first && message.cursor <= range.last;
    const isVisible = visibility === "any" || isInternal === (visibility === "internal");
    return isAsked && isVisible && (include_superseded || !isSuperseded(superseded, message.cursor));
  });
  return range.order === "asc" ? picked : picked.reverse();
}

export function isSuperseded(ranges: readonly SupersededRange[], position: number): boolean {
  return ranges.some(({ first_position, last_position }) => first_position <= position && position <= last_position);
}

function toPage(messages: readonly PositionedMessage[], hasMore: boolean): MessagePage {
  const [first, last] = [messages[0], messages.at(-1)];
  return {
    messages,
    has_more: hasMore,
    ...(last === undefined ? {} : { next_cursor: last.cursor }),
    ...(first === undefined ? {} : { prev_cursor: first.cursor }),
  };
}
