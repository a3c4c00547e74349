import { type Client, createClient } from "@reprise/client";
import { ask, ROOT, readError, send } from "./connection.ts";
import type { Agent, MailboxEntry, Message, Run, Version } from "./types.ts";

/** The typed client, over the connection that waits for a server that is away. */
export const client: Client = createClient({ baseUrl: ROOT, fetch: (input) => send(new Request(input)) });

/** The body of an answer, or the error that the server gave instead. */
export async function answerOf<Body>(
  request: Promise<{ readonly data?: Body; readonly response: Response; readonly error?: unknown }>,
): Promise<NonNullable<Body>> {
  const { data, response, error } = await request;
  if (data !== undefined && data !== null) return data;
  throw await readError(new Response(JSON.stringify(error ?? null), response));
}

const PAGE = 200;

/** Everything that was said on a thread, or in one of its runs, in order; also what was taken back. */
export async function loadMessages(id: string, signal: AbortSignal, runId?: string): Promise<readonly Message[]> {
  const all: Message[] = [];
  for (let after: number | undefined; ; ) {
    const query = {
      limit: PAGE,
      include_superseded: true,
      ...(runId !== undefined && { run_id: runId }),
      ...(after !== undefined && { after }),
    };
    const page = await answerOf(client.GET("/v1/threads/{id}/messages", { params: { path: { id }, query }, signal }));
    all.push(...page.messages);
    if (!page.has_more) return all;
    after = page.next_cursor;
  }
}

/** The versions of a thread after one of them. */
export async function loadVersions(id: string, after: number, signal: AbortSignal): Promise<readonly Version[]> {
  const all: Version[] = [];
  for (;;) {
    const query = { limit: PAGE, after: all.at(-1)?.version ?? after };
    const page = await answerOf(client.GET("/v1/threads/{id}/history", { params: { path: { id }, query }, signal }));
    all.push(...page.items);
    if (!page.has_more || page.items.length === 0) return all;
  }
}

/** The runs of a thread, in the order in which they began. */
export async function loadRuns(threadId: string, signal: AbortSignal): Promise<readonly Run[]> {
  const all: Run[] = [];
  for (;;) {
    const query = { limit: PAGE, offset: all.length, thread_id: threadId };
    const page = await answerOf(client.GET("/v1/runs", { params: { query }, signal }));
    all.push(...page.items);
    if (!page.has_more) return all.reverse();
  }
}

/** Messages that wait for their turn. */
export async function loadQueued(id: string, signal: AbortSignal): Promise<readonly MailboxEntry[]> {
  const query = { status: "queued" as const, limit: 50 };
  const page = await answerOf(client.GET("/v1/threads/{id}/mailbox", { params: { path: { id }, query }, signal }));
  return page.items.filter(({ kind }) => kind === "run");
}

export async function loadAgents(): Promise<readonly Agent[]> {
  return (await answerOf(client.GET("/v1/agents"))).items;
}

export async function cancelRun(runId: string): Promise<void> {
  await ask(`v1/runs/${encodeURIComponent(runId)}/cancel`, { json: {} });
}

/** Stores a file. */
export async function uploadFile(file: File): Promise<{ readonly ref: string; readonly media_type: string }> {
  const headers = { "content-type": file.type || "application/octet-stream" };
  return (await ask("v1/blobs", { method: "POST", headers, body: file })).json();
}
