import type { Message } from "@reprise/contracts";
import { AG_UI_HEADERS, type AgUiVersion, encodeAgUiHistory, encodeAgUiThread } from "@reprise/protocols/ag-ui";
import type { RunHandle } from "@reprise/runtime";
import { findRunUnderWay } from "../ai-sdk/find-run-under-way.ts";
import { loadOpenCalls } from "../ai-sdk/load-calls.ts";
import { browserUrl } from "../blobs/blob-url.ts";
import type { HttpExchange } from "../host/route.ts";
import { clientRunIdOf } from "./client-run.ts";
import { readMessages } from "./load-messages.ts";
import { loadSharedState } from "./shared-state.ts";
import { streamRun } from "./stream-run.ts";

/**
 * Shows a thread to a client that was not there, or whose view may be wrong: its messages and its state, then the run under way from its
 * start, or what the thread waits for. A thread that does not exist is one without messages.
 */
export async function showThread(
  exchange: HttpExchange,
  agentId: string,
  threadId: string,
  version: AgUiVersion,
  clientRunId?: string,
): Promise<Response> {
  const run = await findRunUnderWay(exchange.runtime, agentId, threadId);
  return run === undefined
    ? showResting(exchange, threadId, version, clientRunId)
    : showRunning(exchange, run, version, clientRunId);
}

/** What the run under way says comes with its events; what was said to it is among the messages. */
function showRunning(
  exchange: HttpExchange,
  run: RunHandle,
  version: AgUiVersion,
  clientRunId: string | undefined,
): Response {
  const { runtime } = exchange;
  const runId = clientRunId ?? run.id;
  return streamRun(exchange, {
    run,
    client: { version, runId },
    async open(encoder) {
      const { base_version } = await run.record();
      const { messages } = await readMessages(exchange, run.threadId);
      const before = messages.filter(({ role, metadata }) => role === "user" || metadata?.run_id !== run.id);
      const state = await loadSharedState(runtime, run.threadId, base_version + 1);
      encoder.open({ messages: encoded(exchange, before), ...(state !== undefined && { state }) });
    },
  });
}

async function showResting(
  exchange: HttpExchange,
  threadId: string,
  version: AgUiVersion,
  clientRunId: string | undefined,
): Promise<Response> {
  const { runtime } = exchange;
  const [latest] = (await runtime.runs({ threadId, limit: 1 })).items;
  const [{ messages }, calls, state] =
    latest === undefined
      ? [{ messages: [] }, [], undefined]
      : await Promise.all([
          readMessages(exchange, threadId),
          loadOpenCalls(exchange, threadId),
          loadSharedState(runtime, threadId),
        ]);
  const runId = clientRunId ?? (latest === undefined ? threadId : clientRunIdOf(latest));
  const frames = encodeAgUiThread(
    {
      thread_id: threadId,
      run_id: runId,
      messages: encoded(exchange, messages),
      ...(state !== undefined && { state }),
      calls,
    },
    version,
  );
  return new Response(frames, { status: 200, headers: { ...exchange.headers, ...AG_UI_HEADERS } });
}

function encoded(exchange: HttpExchange, messages: readonly Message[]) {
  return encodeAgUiHistory(messages, (url) => browserUrl(exchange, url));
}
