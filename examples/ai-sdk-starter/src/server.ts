import { persistentFetch } from "./connection.ts";

/** An earlier chat in the list. */
export interface ChatSummary {
  readonly thread_id: string;
  readonly title: string;
  readonly updated_at: number;
}

/** An agent to talk to. */
export interface Agent {
  readonly id: string;
  readonly description: string;
}

async function ask(path: string, init?: RequestInit): Promise<Response> {
  const response = await persistentFetch(path, init);
  if (response.ok || response.status === 404) return response;
  throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
}

export async function listAgents(): Promise<readonly Agent[]> {
  return (await (await ask("/v1/agents")).json()).items;
}

/** Newest first. */
export async function listChats(): Promise<readonly ChatSummary[]> {
  const { items }: { items: readonly ChatSummary[] } = await (await ask("/v1/threads/summaries?limit=50")).json();
  return items.toSorted((one, other) => other.updated_at - one.updated_at);
}

/** What was said so far, as `useChat` has it; nothing for a chat that is new. */
export async function loadHistory<Message>(chatId: string): Promise<Message[]> {
  const response = await ask(`/v1/ai-sdk/threads/${encodeURIComponent(chatId)}/messages`);
  return response.status === 404 ? [] : (await response.json()).messages;
}

/** Ends a run. Idempotent. */
export async function cancelRun(runId: string): Promise<void> {
  await persistentFetch(`/v1/runs/${encodeURIComponent(runId)}/cancel`, { method: "POST" });
}
