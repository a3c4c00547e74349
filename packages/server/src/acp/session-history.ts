import { MAX_LIMIT, type Message, type ToolCallRecord } from "@reprise/contracts";
import type { AcpThread } from "@reprise/protocols/acp";
import type { RunHandle, TenantRuntime } from "@reprise/runtime";

/** Everything that was said and done in a session, but for the part of the run that is shown anew. */
export async function readHistory(
  runtime: TenantRuntime,
  sessionId: string,
  open: RunHandle | undefined,
): Promise<AcpThread> {
  const all = await readMessages(runtime, sessionId);
  const messages = all.filter(
    ({ role, metadata }) => role === "user" || open === undefined || metadata?.run_id !== open.id,
  );
  return { messages, calls: await readCalls(runtime, sessionId) };
}

async function readMessages(runtime: TenantRuntime, threadId: string): Promise<readonly Message[]> {
  if ((await runtime.runs({ threadId, limit: 1 })).items.length === 0) return [];
  const messages: Message[] = [];
  for (let after: number | undefined; ; ) {
    const position = after === undefined ? {} : { after };
    const page = await runtime.threads.messages(threadId, { limit: MAX_LIMIT, ...position });
    messages.push(...page.messages);
    after = page.next_cursor;
    if (!page.has_more || after === undefined) return messages;
  }
}

async function readCalls(runtime: TenantRuntime, threadId: string): Promise<readonly ToolCallRecord[]> {
  const calls: ToolCallRecord[] = [];
  for (;;) {
    const page = await runtime.calls({ threadId, offset: calls.length, limit: MAX_LIMIT });
    calls.push(...page.items);
    if (!page.has_more || page.items.length === 0) return calls;
  }
}
