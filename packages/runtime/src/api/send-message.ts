import {
  activeAgentOf,
  invalidRequest,
  notFound,
  type RunRequest,
  runNotActive,
  type SentMessage,
  type TenantStore,
} from "@reprise/contracts";
import type { Services } from "../loop/services.ts";
import { newEntry } from "../run/new-entry.ts";
import type { DelegatingCall } from "../run/ports.ts";
import { familyOf, rootOf } from "../run/run-tree.ts";
import { frameText } from "../thread/frame-text.ts";
import { placeId } from "../thread/place-id.ts";

const MAX_CHARACTERS = 16_384;

/** A run of a tree that is not over. */
interface LiveRun {
  readonly runId: string;
  readonly threadId: string;
  readonly agentId: string;
  /** The agent that works on it now. */
  readonly activeAgentId: string;
}

/**
 * Sends a message to another run of the caller's tree. It is an entry of that run's mailbox, which the run takes in before its next step; an
 * entry that its run ends without is never a run of its own. A call that is executed again sends nothing again.
 */
export async function sendMessage(
  { store, env }: { readonly store: TenantStore; readonly env: Services["env"] },
  { tenant, run, call }: DelegatingCall,
  { to, message, key = "" }: { readonly to: string; readonly message: string; readonly key?: string },
): Promise<SentMessage> {
  if (message.trim() === "") throw invalidRequest("message must not be empty.");
  if (message.length > MAX_CHARACTERS)
    throw invalidRequest(`message must have at most ${MAX_CHARACTERS} characters (got ${message.length}).`);
  const target = await findTarget(store, { tenant, run }, to);
  const { runId, threadId, agentId } = target;
  const from = activeAgentOf(run);
  const source = `run:${run.run_id}`;
  const content = frameText(
    "task",
    source,
    `A message from agent ${from}, run ${run.run_id}:\n\n${message.toWellFormed()}`,
  );
  const request = {
    agent_id: agentId,
    thread_id: threadId,
    run_id: placeId(store, `message-${env.hash(JSON.stringify([tenant, call.call_id, key])).slice(0, 32)}`, threadId),
    for_run_id: runId,
    origin: "internal",
    sender_id: source,
    messages: [{ role: "user", content, visibility: "internal", metadata: { source } }],
  } satisfies RunRequest;
  const queueing = {
    busy_policy: "steer",
    priority: 0,
    dedupe_key: `message:${request.run_id}`,
    sender_id: source,
  } as const;
  await store.submit(newEntry(request, queueing));
  return { runId, agentId: target.activeAgentId };
}

async function findTarget(
  store: TenantStore,
  { run }: Pick<DelegatingCall, "tenant" | "run">,
  to: string,
): Promise<LiveRun> {
  const family = await familyOf(store, { run_id: rootOf(run) });
  const runId = to === "parent" ? run.parent_run_id : family.includes(to) ? to : undefined;
  if (to === "parent" && runId === undefined) throw invalidRequest(`Run ${run.run_id} has no run above it.`);
  if (runId === run.run_id) throw invalidRequest("A run cannot send a message to itself.");
  if (runId !== undefined) {
    if (!family.includes(runId)) throw notFound("RUN_NOT_FOUND", "run in this tree", runId, []);
    const live = await findLive(store, runId);
    if (live === undefined) throw runNotActive(runId);
    return live;
  }
  const others = family.filter((id) => id !== run.run_id);
  const live = (await Promise.all(others.map((id) => findLive(store, id)))).filter((each) => each !== undefined);
  const named = live.filter(({ agentId, activeAgentId }) => agentId === to || activeAgentId === to);
  const [target] = named;
  if (target === undefined) {
    const known = live.map(({ runId: id, activeAgentId }) => `${id} (${activeAgentId})`);
    throw notFound("RUN_NOT_FOUND", "live run or agent in this tree called", to, known);
  }
  if (named.length > 1) {
    const ids = named.slice(0, 10).map(({ runId: id }) => id);
    throw invalidRequest(`Agent ${to} works on ${named.length} runs. Name one of them: ${ids.join(", ")}.`);
  }
  return target;
}

/** A run that is at work, waits, or is queued; undefined for one that is over. */
async function findLive(store: TenantStore, runId: string): Promise<LiveRun | undefined> {
  const record = await store.loadRun(runId);
  if (record !== undefined) {
    const { thread_id: threadId, agent_id: agentId } = record;
    return record.status === "done" ? undefined : { runId, threadId, agentId, activeAgentId: activeAgentOf(record) };
  }
  const { items } = await store.listEntries({ run_id: runId });
  const queued = items.find(({ kind, status }) => kind === "run" && (status === "queued" || status === "claimed"));
  if (queued?.request === undefined) return undefined;
  const { agent_id: agentId } = queued.request;
  return { runId, threadId: queued.thread_id, agentId, activeAgentId: agentId };
}
