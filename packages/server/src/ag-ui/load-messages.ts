import type { Message } from "@reprise/contracts";
import type { HttpExchange } from "../host/route.ts";
import { MAX_PAGE_BYTES } from "../http/answer-list.ts";
import { badRequest } from "../http/http-refusal.ts";

/** How many messages are read from the store at once. */
const READ_AT_ONCE = 100;

export interface MessagesQuery {
  /** The newest so many; as many as fit unless given. */
  readonly limit?: number;
  /** Only those before the message with this id. */
  readonly before?: string;
}

/** The newest messages of a thread, oldest first, as many as fit into a page. */
export async function readMessages(
  { runtime }: HttpExchange,
  threadId: string,
  { limit = Number.POSITIVE_INFINITY, before }: MessagesQuery = {},
): Promise<{ readonly messages: readonly Message[]; readonly has_more: boolean }> {
  const kept: Message[] = [];
  let bytes = 0;
  let isFound = before === undefined;
  for (let at: number | undefined; ; ) {
    const position = at === undefined ? {} : { before: at };
    const page = await runtime.threads.messages(threadId, { order: "desc", limit: READ_AT_ONCE, ...position });
    for (const message of page.messages) {
      at = message.cursor;
      if (!isFound) {
        isFound = message.id === before;
        continue;
      }
      bytes += JSON.stringify(message).length;
      const isFull = kept.length >= limit || (kept.length > 0 && bytes > MAX_PAGE_BYTES);
      if (isFull) return { messages: kept.reverse(), has_more: true };
      kept.push(message);
    }
    if (page.has_more) continue;
    if (!isFound) throw badRequest("before is not a message of this thread");
    return { messages: kept.reverse(), has_more: false };
  }
}
