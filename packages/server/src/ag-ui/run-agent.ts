import { type DecisionInput, RepriseError, type RunRecord, type RunRequest } from "@reprise/contracts";
import { type AgUiClient, type AgUiRequest, selectOpenDecisions } from "@reprise/protocols/ag-ui";
import type { RunHandle } from "@reprise/runtime";
import { loadOpenCalls } from "../ai-sdk/load-calls.ts";
import { unlessStale } from "../ai-sdk/unless-stale.ts";
import { keepFiles } from "../blobs/keep-files.ts";
import type { HttpExchange } from "../host/route.ts";
import { answer, idHeaders } from "../http/answer.ts";
import { submitOnce } from "../idempotency/submit-once.ts";
import { assertScope, hasScope } from "../security/principal.ts";
import { positionsOf } from "../wire/runs-below.ts";
import { clientRunIdOf, clientRunMetadata, findClientRun } from "./client-run.ts";
import { answerBelow, type DecisionsBelow, findDecisionsBelow } from "./runs-below.ts";
import { changesTo, loadSharedState, patchOf } from "./shared-state.ts";
import { showThread } from "./show-thread.ts";
import { streamRun } from "./stream-run.ts";

/** Answers a request of an AG-UI client: something was said, or questions were answered. */
export async function runAgent(exchange: HttpExchange, agentId: string, asked: AgUiRequest): Promise<Response> {
  const isSaid = asked.request.messages.some(({ role }) => role === "user");
  if (!isSaid && asked.decisions.length > 0) return answerQuestions(exchange, agentId, asked);
  const earlier = await findClientRun(exchange.runtime, asked.thread_id, asked.client_run_id);
  const run = earlier === undefined ? await startRun(exchange, asked) : await takeUp(exchange, earlier);
  return streamRun(exchange, { run, client: clientOf(asked), open: (encoder) => showState(exchange, run, encoder) });
}

/** The client sent its request again, under the id it gave the run. */
function takeUp({ runtime, principal }: HttpExchange, { run_id }: RunRecord): Promise<RunHandle> {
  // The run may belong to another client.
  assertScope(principal, "read");
  return runtime.run(run_id);
}

async function startRun(exchange: HttpExchange, asked: AgUiRequest): Promise<RunHandle> {
  const { thread_id, client_run_id, decisions } = asked;
  const request: RunRequest = {
    ...asked.request,
    messages: await keepFiles(exchange, asked.request.messages),
    ...(await changesOf(exchange, asked)),
    dedupe_key: `ag_ui:${client_run_id}`,
    metadata: clientRunMetadata(client_run_id),
  };
  const open = decisions.length === 0 ? [] : selectOpenDecisions(decisions, await loadOpenCalls(exchange, thread_id));
  if (open.length === 0) return submitOnce(exchange, request);
  assertScope(exchange.principal, "decide");
  // Another client may decide between the read and the write: then the message counts without the decision.
  const run = await unlessStale(submitOnce(exchange, { ...request, initial_decisions: open }));
  return run ?? submitOnce(exchange, request);
}

/**
 * Nothing was said, but questions were answered or calls executed: that goes to the run that waits for it. A client that resumes, or
 * that calls this another run, gets what follows; one that names the run that waits gets a confirmation. Where nothing waits for the
 * answers, the client gets the thread as it is.
 */
async function answerQuestions(exchange: HttpExchange, agentId: string, asked: AgUiRequest): Promise<Response> {
  const { thread_id, client_run_id, version } = asked;
  assertScope(exchange.principal, "decide");
  const { open, waiting, below } = await findWaiting(exchange, agentId, asked);
  const isForwarded = waiting !== undefined && !asked.isResume && clientRunIdOf(waiting) === client_run_id;
  if (!isForwarded) assertScope(exchange.principal, "read");
  if (waiting === undefined || open.length + below.length === 0) {
    return showThread(exchange, agentId, thread_id, version, client_run_id);
  }
  const { frontend_tools: _tools, context: _context, ...request } = asked.request;
  await applyState(exchange, asked);
  const shared = await loadSharedState(exchange.runtime, thread_id);
  // What the client has of the runs ends where they waited.
  const after = await positionsOf(exchange.runtime, waiting);
  const taken = below.length > 0 && (await unlessStale(answerBelow(exchange, below))) !== undefined;
  const own = open.length === 0 ? undefined : { ...request, messages: [], initial_decisions: open };
  const decided = own === undefined ? undefined : await unlessStale(submitOnce(exchange, own));
  const run = decided ?? (taken ? await exchange.runtime.run(waiting.run_id) : undefined);
  if (run === undefined) return showThread(exchange, agentId, thread_id, version, client_run_id);
  if (isForwarded) {
    const body = { status: "decision_forwarded", threadId: thread_id, runId: client_run_id };
    return answer(exchange, 202, body, idHeaders({ run: run.id, thread: run.threadId }));
  }
  return streamRun(exchange, {
    run,
    client: clientOf(asked),
    after,
    open: async (encoder) => encoder.open(isShown(shared) ? { state: shared } : {}),
  });
}

function clientOf({ version, client_run_id, parent_client_run_id, answered }: AgUiRequest): AgUiClient {
  return {
    version,
    runId: client_run_id,
    answered,
    ...(parent_client_run_id !== undefined && { parentRunId: parent_client_run_id }),
  };
}

interface Waiting {
  /** The decisions about calls of the run that waits on the thread. */
  readonly open: readonly DecisionInput[];
  /** The decisions about calls of runs below it. */
  readonly below: readonly DecisionsBelow[];
  readonly waiting?: RunRecord;
}

/** The decisions about what waits on the thread. The run is read first: calls that wait after that did so at its last event. */
async function findWaiting(
  exchange: HttpExchange,
  agentId: string,
  { thread_id, decisions }: AgUiRequest,
): Promise<Waiting> {
  const [waiting] = (await exchange.runtime.runs({ threadId: thread_id, status: "waiting", limit: 1 })).items;
  const open = selectOpenDecisions(decisions, await loadOpenCalls(exchange, thread_id));
  const below = waiting === undefined ? [] : await findDecisionsBelow(exchange, waiting, decisions);
  if (waiting === undefined || open.length + below.length === 0) return { open, below };
  if (waiting.agent_id === agentId) return { open, below, waiting };
  const message = `No run of agent ${agentId} on thread ${thread_id} waits for these decisions; run ${waiting.run_id} does.`;
  throw new RepriseError("NOT_SUSPENDED", message, { details: { thread_id, run_id: waiting.run_id } });
}

/** The client's state where it differs from the thread's. */
async function changesOf({ runtime }: HttpExchange, { thread_id, state }: AgUiRequest) {
  return state === undefined ? {} : changesTo(state, (await loadSharedState(runtime, thread_id)) ?? {});
}

/** Front-end tools change the shared state too: the run sees it when it continues. */
async function applyState(exchange: HttpExchange, asked: AgUiRequest): Promise<void> {
  const changes = await changesOf(exchange, asked);
  // The rules are those for a request that starts a run.
  const { request } = exchange.runtime.prepare({ ...asked.request, ...changes }).entry;
  const patch = patchOf(request);
  if (patch.ops.length > 0) await exchange.runtime.threads.patch(asked.thread_id, patch, { source: "request" });
}

type State = Awaited<ReturnType<typeof loadSharedState>>;

function isShown(state: State): state is NonNullable<State> {
  return state !== undefined && Object.keys(state).length > 0;
}

/** The state that the run began with. A client without leave to read sees what its own run does, and no state from before. */
async function showState(
  { runtime, principal }: HttpExchange,
  run: RunHandle,
  encoder: { open(opening: { readonly state?: NonNullable<State> }): void },
): Promise<void> {
  const { base_version } = await run.record();
  if (base_version > 0 && !hasScope(principal, "read")) return;
  const state = await loadSharedState(runtime, run.threadId, base_version + 1);
  if (isShown(state)) encoder.open({ state });
}
