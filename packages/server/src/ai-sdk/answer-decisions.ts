import { continuesByItself, type DecisionInput, notFound, RepriseError, type RunRecord } from "@reprise/contracts";
import { type AiSdkRequest, selectOpenDecisions } from "@reprise/protocols/ai-sdk";
import type { RunHandle } from "@reprise/runtime";
import type { HttpExchange } from "../host/route.ts";
import { answer, idHeaders } from "../http/answer.ts";
import { findForwarded, submitOnce } from "../idempotency/submit-once.ts";
import { assertScope } from "../security/principal.ts";
import { loadCallsBelow, loadOpenCalls } from "./load-calls.ts";
import { streamMessage } from "./stream-message.ts";
import { unlessStale } from "./unless-stale.ts";

type Decisions = Extract<AiSdkRequest, { kind: "decisions" }>;

/**
 * Nothing was said, but something was decided: it goes to the run that waits for it. A client that continues its message gets
 * what follows; any other gets a confirmation. Stale decisions are dropped: a client that sent nothing else gets
 * the thread's latest run from its start, which shows it how its questions were answered.
 */
export async function answerDecisions(exchange: HttpExchange, agentId: string, asked: Decisions): Promise<Response> {
  assertScope(exchange.principal, "decide");
  if (asked.reply === "stream") assertScope(exchange.principal, "read");
  assertAgent(exchange, agentId);
  const { open, waiting, known } = await findWaiting(exchange, agentId, asked);
  const request = { ...asked.request, initial_decisions: open };
  const run = open.length > 0 ? await unlessStale(submitOnce(exchange, request)) : await findForwarded(exchange);
  if (run === undefined) {
    assertScope(exchange.principal, "read");
    return streamMessage(exchange, await findLatestRun(exchange, asked.thread_id));
  }
  if (asked.reply === "json") {
    const ids = idHeaders({ run: run.id, thread: run.threadId });
    return answer(exchange, 202, { status: "decision_forwarded", threadId: asked.thread_id }, ids);
  }
  // What the page has of the run ends where it waited.
  if (waiting !== undefined) return streamMessage(exchange, run, known);
  return streamMessage(exchange, run, new Map([[run.id, await findWait(run, asked.decisions)]]));
}

function assertAgent({ runtime }: HttpExchange, agentId: string): void {
  if (!runtime.agents().some(({ id }) => id === agentId)) throw notFound("AGENT_NOT_FOUND", "agent", agentId);
}

async function findLatestRun({ runtime }: HttpExchange, threadId: string): Promise<RunHandle> {
  const [latest] = (await runtime.runs({ threadId, limit: 1 })).items;
  if (latest === undefined) throw notFound("THREAD_NOT_FOUND", "thread", threadId);
  return runtime.run(latest.run_id);
}

interface Waiting {
  /** The decisions about calls that wait. */
  readonly open: readonly DecisionInput[];
  readonly waiting?: RunRecord;
  /** How far the page has the events of each run that waits: up to where it does. */
  readonly known: ReadonlyMap<string, number>;
}

/**
 * The decisions about what waits on the thread. That is one run's: this agent's, and the named one if one is named, or they are not
 * for it. The run is read first: calls that wait after that did so at its last event.
 */
async function findWaiting(
  exchange: HttpExchange,
  agentId: string,
  { thread_id, run_id, decisions }: Decisions,
): Promise<Waiting> {
  const [waiting] = (await exchange.runtime.runs({ threadId: thread_id, status: "waiting", limit: 1 })).items;
  const below = await loadCallsBelow(exchange, thread_id);
  const calls = [...(await loadOpenCalls(exchange, thread_id)), ...below.map(({ call }) => call)];
  const open = selectOpenDecisions(
    decisions,
    calls.filter((call) => !continuesByItself(call)),
  );
  const waits = [...(waiting === undefined ? [] : [waiting]), ...below.map(({ run }) => run)];
  const known = new Map(waits.map((run) => [run.run_id, run.last_seq]));
  if (waiting === undefined || open.length === 0) return { open, known };
  if (waiting.agent_id === agentId && (run_id ?? waiting.run_id) === waiting.run_id) return { open, waiting, known };
  const message = `No run of agent ${agentId} on thread ${thread_id} waits for these decisions; run ${waiting.run_id} does.`;
  throw new RepriseError("NOT_SUSPENDED", message, { details: { thread_id, run_id: waiting.run_id } });
}

/** A request that comes again finds its decisions taken: where the run had waited for them is in its journal. */
async function findWait(run: RunHandle, decisions: readonly DecisionInput[]): Promise<number> {
  const targets = new Set(decisions.map(({ target_id }) => target_id));
  const asked = new Set<string>();
  let wait = 0;
  for await (const event of run.events()) {
    if (event.type === "run_finish") wait = event.seq ?? wait;
    if (event.type === "tool_call_done" && event.data.suspended !== undefined) {
      const { pending, suspension } = event.data.suspended.ticket;
      const ids = [event.data.id, pending.id, suspension.id];
      if (ids.some((id) => targets.has(id))) asked.add(event.data.id);
    }
    if (event.type === "tool_call_resumed" && asked.has(event.data.target_id)) return wait;
  }
  return 0;
}
