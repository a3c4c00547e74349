import { MAX_LIMIT, type Message } from "@reprise/contracts";
import { encodeAiSdkHistory, type UiMessage } from "@reprise/protocols/ai-sdk";
import { browserUrl } from "../blobs/blob-url.ts";
import type { Call } from "../http/route.ts";
import { loadCalls } from "./load-calls.ts";

/** A thread as the messages a page begins with. A message of a page may be many of the thread, so all of them are read. */
export async function loadHistory(call: Call, threadId: string): Promise<readonly UiMessage[]> {
  const messages = await loadMessages(call, threadId);
  const calls = await loadCalls(call, { thread_id: threadId });
  return encodeAiSdkHistory({ thread_id: threadId, messages, calls }, (url) => browserUrl(call, url));
}

async function loadMessages({ runtime }: Call, threadId: string): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for (let after: number | undefined; ; ) {
    const page = await runtime.threads.messages(threadId, {
      limit: MAX_LIMIT,
      ...(after !== undefined && { after }),
    });
    messages.push(...page.messages);
    after = page.next_cursor;
    if (!page.has_more || after === undefined) return messages;
  }
}
