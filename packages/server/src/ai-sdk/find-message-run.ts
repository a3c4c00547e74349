import { MAX_LIMIT, type Message, RepriseError } from "@reprise/contracts";
import { uiMessageIdOf } from "@reprise/protocols/ai-sdk";
import type { TenantRuntime } from "@reprise/runtime";

/** Ids a run makes: of what it said, of results, of messages that came without an id of their own. */
const DERIVED = /^(.+)-(?:s\d+-m|s\d+-c\d+-(?:r|q\d+)|u\d+)$/;

/**
 * The run a message belongs to; undefined when the thread has no such message. Every id of a run's messages leads to it, also that
 * of an answer which broke off before it was stored, and of one that was superseded.
 */
export async function findMessageRun(
  runtime: TenantRuntime,
  threadId: string,
  messageId: string,
): Promise<string | undefined> {
  const [, maker] = DERIVED.exec(messageId) ?? [];
  if (maker !== undefined && (await isRunOf(runtime, threadId, maker))) return maker;
  const found =
    (await searchThread(runtime, threadId, messageId, false)) ??
    (await searchThread(runtime, threadId, messageId, true));
  // What a fork brought along was said to runs of another thread.
  return found !== undefined && (await isRunOf(runtime, threadId, found)) ? found : undefined;
}

async function isRunOf(runtime: TenantRuntime, threadId: string, runId: string): Promise<boolean> {
  try {
    return (await (await runtime.run(runId)).record()).thread_id === threadId;
  } catch (error) {
    if (RepriseError.is(error, "RUN_NOT_FOUND")) return false;
    throw error;
  }
}

/** From the newest on: what a page asks about is near the end. */
async function searchThread(
  { threads }: TenantRuntime,
  threadId: string,
  messageId: string,
  include_superseded: boolean,
): Promise<string | undefined> {
  const isWanted = (message: Message): boolean => message.id === messageId || uiMessageIdOf(message) === messageId;
  try {
    for (let before: number | undefined; ; ) {
      const page = await threads.messages(threadId, {
        order: "desc",
        limit: MAX_LIMIT,
        visibility: "any",
        includeSuperseded: include_superseded,
        ...(before !== undefined && { before }),
      });
      const found = page.messages.find(isWanted);
      if (found !== undefined) return found.metadata?.run_id;
      before = page.messages.at(-1)?.cursor;
      if (!page.has_more || before === undefined) return undefined;
    }
  } catch (error) {
    if (RepriseError.is(error, "THREAD_NOT_FOUND")) return undefined;
    throw error;
  }
}
