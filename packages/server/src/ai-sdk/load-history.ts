import type { Message, MessagePage, ToolCallRecord } from "@reprise/contracts";
import { encodeAiSdkHistory, type UiMessage, uiMessageIdOf } from "@reprise/protocols/ai-sdk";
import { browserUrl } from "../blobs/blob-url.ts";
import type { HttpExchange } from "../host/route.ts";
import { MAX_PAGE_BYTES } from "../http/answer-list.ts";
import { badRequest } from "../http/http-refusal.ts";
import { loadCalls, loadCallsBelow, loadOpenCalls } from "./load-calls.ts";

/** How many messages are read from the store at once. */
const READ_AT_ONCE = 32;

export interface HistoryQuery {
  /** The newest so many; as many as fit unless given. */
  readonly limit?: number;
  /** Only those before the message with this id. */
  readonly before?: string;
}

export interface History {
  readonly messages: readonly UiMessage[];
  readonly has_more: boolean;
}

/**
 * The newest messages of a thread as a page begins with them, as many as fit into a page. A message of a page may be many of the thread,
 * so they are read from the newest on until the oldest is whole.
 */
export async function loadHistory(
  exchange: HttpExchange,
  threadId: string,
  query: HistoryQuery = {},
): Promise<History> {
  const { limit = Number.POSITIVE_INFINITY, before } = query;
  const { messages, isWhole } = await readBackwards(exchange, threadId, limit, before);
  const calls = await loadCallsOf(exchange, threadId, messages, before === undefined);
  const below = before === undefined ? await loadCallsBelow(exchange, threadId) : [];
  const stored = { thread_id: threadId, messages, calls, below };
  const shown = encodeAiSdkHistory(stored, (url) => browserUrl(exchange, url));
  const end = before === undefined ? shown.length : shown.findIndex(({ id }) => id === before);
  // The oldest may have begun before what was read.
  const whole = shown.slice(isWhole ? 0 : 1, end < 0 ? shown.length : end);
  const newest = whole.slice(Math.max(whole.length - limit, 0));
  return { messages: newest, has_more: !isWhole || newest.length < whole.length };
}

type Positioned = MessagePage["messages"][number];

/** Messages up to the wanted ones, oldest first, and whether the first of them is the first of the thread. */
async function readBackwards(
  exchange: HttpExchange,
  threadId: string,
  limit: number,
  before: string | undefined,
): Promise<{ readonly messages: readonly Message[]; readonly isWhole: boolean }> {
  const { threads } = exchange.runtime;
  const kept: Positioned[] = [];
  const groups = new Set<string>();
  let bytes = 0;
  let isFound = before === undefined;
  for (let at: number | undefined; ; ) {
    const position = at === undefined ? {} : { before: at };
    const page = await threads.messages(threadId, { order: "desc", limit: READ_AT_ONCE, ...position });
    for (const message of page.messages) {
      at = message.cursor;
      if (!isFound) {
        isFound = message.id === before || uiMessageIdOf(message) === before;
        if (isFound) kept.push(...(await readRest(exchange, threadId, message)));
        continue;
      }
      kept.push(message);
      const group = groupOf(message);
      if (group !== undefined) groups.add(group);
      bytes += JSON.stringify(message).length;
      // One more than is shown: the oldest may not be whole.
      const isEnough = groups.size > 1 && (groups.size > limit || bytes > MAX_PAGE_BYTES);
      if (isEnough) return { messages: kept.reverse(), isWhole: false };
    }
    if (page.has_more) continue;
    if (!isFound) throw badRequest("before is not a message of this thread");
    return { messages: kept.reverse(), isWhole: true };
  }
}

/** What a run said after a message that arrived meanwhile, newest first; it belongs to what it said before. */
async function readRest(exchange: HttpExchange, threadId: string, message: Positioned): Promise<readonly Positioned[]> {
  const runId = message.role === "user" ? message.metadata?.run_id : undefined;
  if (runId === undefined) return [];
  const page = await exchange.runtime.threads.messages(threadId, { runId, after: message.cursor - 1 });
  return page.messages.toReversed();
}

/** The message of a page that a message belongs to; a result belongs to the message that asked for it. */
function groupOf({ role, id, metadata }: Message): string | undefined {
  if (role === "tool") return undefined;
  return role === "assistant" ? `run ${metadata?.run_id ?? id}` : `said ${id}`;
}

/** The calls of messages, and for the end of a thread those that wait without one. */
async function loadCallsOf(
  exchange: HttpExchange,
  threadId: string,
  messages: readonly Message[],
  isEnd: boolean,
): Promise<readonly ToolCallRecord[]> {
  const asking = messages.filter(({ tool_calls = [] }) => tool_calls.length > 0);
  const runs = new Set(asking.flatMap(({ metadata }) => metadata?.run_id ?? []));
  const calls = new Map<string, ToolCallRecord>();
  const add = (records: readonly ToolCallRecord[]): void => {
    for (const record of records) calls.set(record.call_id, record);
  };
  // A fork has messages of runs of another thread.
  for (const run_id of runs) add(await loadCalls(exchange, { thread_id: threadId, run_id }));
  if (isEnd) add(await loadOpenCalls(exchange, threadId));
  return [...calls.values()];
}
