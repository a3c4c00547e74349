import {
  type Changeset,
  emptyChangeset,
  invalidRequest,
  type LanguageModel,
  type Message,
  RepriseError,
  type RunRecord,
  type RunRequest,
  type TenantStore,
  type Tool,
} from "@reprise/contracts";
import { isJson, type Json, type JsonObject } from "@reprise/state";
import type { Services } from "../loop/services.ts";
import { compareRuns, type RunComparison } from "../replay/compare-runs.ts";
import { requireDone } from "../replay/load-recording.ts";
import { replayImpossible } from "../replay/replay-errors.ts";
import { lookUpEntry } from "../resolve/look-up-agent.ts";
import type { AgentEntry } from "../resolve/registry-set.ts";
import { resultIdOf, stepIdOf } from "../thread/derived-ids.ts";
import { placeId } from "../thread/place-id.ts";
import { walkChangesets } from "../thread/read-changesets.ts";
import type { RunHandle } from "./run-handle.ts";

/** The changes of a rerun. Fields that are not given stay as they were. */
export interface RerunChanges {
  /** A model, or the id of one the runtime knows. */
  readonly model?: string | LanguageModel;
  readonly instructions?: string;
  /** All tools the agent is to have, beside those of its plugins. */
  readonly tools?: readonly Tool[];
  /** Other results of the calls that the step reads first, by the id of the call. The tools are not asked. */
  readonly toolResults?: Readonly<Record<string, Json>>;
  /** The id of the new thread; made up unless it is given. */
  readonly threadId?: string;
  /** The id of the new run; made up unless it is given. Asked again with the ids of both, it is the same rerun. */
  readonly runId?: string;
}

/** A run that goes another way from some step of an earlier one on. */
export interface Rerun {
  readonly run: RunHandle;
  /** The thread it runs on, a fork of the other's. */
  readonly threadId: string;
  /** The version of the original thread at which it left. */
  readonly at: number;
  /** Waits until no worker has it any more, and returns how it differs from the original. */
  comparison(): Promise<RunComparison>;
}

/** Takes a finished run up again before one of its steps, on a fork, for real: models and tools are asked. */
export async function rerunFrom(
  services: Services,
  runtime: { readonly tenant: string; submit(request: RunRequest): Promise<RunHandle> },
  { runId, step, changes }: { readonly runId: string; readonly step: number; readonly changes: RerunChanges },
): Promise<Rerun> {
  const { tenant } = runtime;
  const store = services.store.forTenant(tenant);
  const original = await requireDone(store, runId);
  const { at, agentId } = await placeBefore(services, tenant, original, step);
  const { env } = services;
  const threadId = changes.threadId ?? placeId(store, env.ids.uuid(), original.thread_id);
  const id = changes.runId ?? placeId(store, env.ids.uuid(), threadId);
  const [agent_id, forget] = lendChanged(services, agentId, id, changes);
  const metadata = { rerun_of: runId, step, ...describeChanges(changes) };
  const request = { agent_id, thread_id: threadId, run_id: id, messages: [], busy_policy: "reject", metadata } as const;
  let run: RunHandle;
  try {
    const isMade = await fork(store, original.thread_id, at, { threadId, mayExist: changes.runId !== undefined });
    await changeResults(store, threadId, id, changes).catch(async (error: unknown) => {
      if (isMade) await store.deleteThread(threadId);
      throw error;
    });
    run = await runtime.submit(request);
  } catch (error) {
    forget();
    throw error;
  }
  const outcome = run.outcome().finally(forget);
  // A caller that does not ask for the comparison need not see its error.
  outcome.catch(() => undefined);
  return {
    run,
    threadId,
    at,
    async comparison() {
      await outcome;
      return compareRuns(store, { original, at, rerun: await run.record() });
    },
  };
}

/** Whether the fork was made now; it may be there already when the request is a repeated one. */
async function fork(
  store: TenantStore,
  from: string,
  at: number,
  { threadId, mayExist }: { readonly threadId: string; readonly mayExist: boolean },
): Promise<boolean> {
  try {
    await store.forkThread(from, at, threadId);
    return true;
  } catch (error) {
    const isMade = mayExist && RepriseError.is(error, "THREAD_EXISTS");
    const made = isMade ? await store.loadThread(threadId) : undefined;
    if (made?.thread.parent_thread_id !== from) throw error;
    return false;
  }
}

/** Puts other results in the places of those that the step would read. */
async function changeResults(
  store: TenantStore,
  threadId: string,
  rerunId: string,
  { toolResults = {} }: RerunChanges,
): Promise<void> {
  const wanted = Object.entries(toolResults);
  if (wanted.length === 0) return;
  const said = (await store.readMessages(threadId, 0)).messages;
  const asked = said.findLast(({ role }) => role === "assistant");
  const changed = wanted.map(([callId, result]): readonly [Message, Message] => {
    const before = said.findLast((message) => message.role === "tool" && message.tool_call_id === callId);
    if (before === undefined || asked?.tool_calls?.some(({ id }) => id === callId) !== true)
      throw invalidRequest(`The step does not begin with the result of call ${callId}.`, { call_id: callId });
    if (!isJson(result)) throw invalidRequest(`The result of call ${callId} must be JSON.`, { call_id: callId });
    const content = typeof result === "string" ? result : JSON.stringify(result);
    const metadata = { ...before.metadata, status: "success" };
    return [before, { ...before, id: `${resultIdOf(callId)}-${rerunId}`, content, metadata }];
  });
  const changeset: Changeset = {
    ...emptyChangeset(threadId, null, `${rerunId}-results`),
    reasons: ["tool_results"],
    supersedes: changed.map(([before]) => before.id),
    messages: changed.map(([, after]) => after),
  };
  await store.commit(changeset, { expected: "any", epoch: null });
}

/** What was different, for those who look at the run later. */
function describeChanges({ model, instructions, tools, toolResults }: RerunChanges): JsonObject {
  const changes: JsonObject = {
    ...(model !== undefined && { model: typeof model === "string" ? model : model.id }),
    ...(instructions !== undefined && { instructions }),
    ...(tools !== undefined && { tools: tools.map(({ descriptor }) => descriptor.id) }),
    ...(toolResults !== undefined && { tool_results: toolResults }),
  };
  return Object.keys(changes).length === 0 ? {} : { changes };
}

/** Compares two finished runs: from where the other left, when it is a rerun; otherwise each from its beginning. */
export async function compareStored(
  services: Services,
  tenant: string,
  runId: string,
  otherId: string,
): Promise<RunComparison> {
  const store = services.store.forTenant(tenant);
  const original = await requireDone(store, runId);
  const rerun = await requireDone(store, otherId);
  const { rerun_of, step } = rerun.metadata ?? {};
  const isRerun = rerun_of === runId && typeof step === "number";
  const at = isRerun ? (await placeBefore(services, tenant, original, step)).at : original.base_version;
  return compareRuns(store, { original, at, rerun });
}

/** The version a thread had when a step of a run began, and the agent that took the step. */
async function placeBefore(
  { store }: Services,
  tenant: string,
  { run_id, thread_id, base_version, steps, agent_id }: RunRecord,
  step: number,
): Promise<{ readonly at: number; readonly agentId: string }> {
  if (!Number.isSafeInteger(step) || step < 1 || step > steps) {
    throw invalidRequest(`Run ${run_id} has no step ${step}; it has ${steps}.`, { run_id, step });
  }
  const wanted = stepIdOf(run_id, step);
  let agentId = agent_id;
  for await (const { version, events } of walkChangesets(store.forTenant(tenant), thread_id, base_version)) {
    const own = events.filter((event) => event.run_id === run_id);
    const begun = own.filter(({ type }) => type === "step_start");
    // Handoffs have commits of their own.
    for (const event of own) if (event.type === "agent_handoff") agentId = event.data.to;
    if (!begun.some(({ step_id }) => step_id === wanted)) continue;
    if (begun[0]?.step_id === wanted) return { at: version - 1, agentId };
    throw replayImpossible(run_id, `its step ${step} was committed together with the one before`);
  }
  throw replayImpossible(run_id, `its step ${step} was never committed`);
}

/** The agent with the changes, under a new id; the agent itself when there are none. */
function lendChanged(
  { agents }: Services,
  agentId: string,
  rerunId: string,
  { model, instructions, tools }: RerunChanges,
): readonly [string, () => void] {
  if (model === undefined && instructions === undefined && tools === undefined) return [agentId, () => undefined];
  const entry = lookUpEntry(agents.registries, agentId);
  const id = `${agentId}-rerun-${rerunId}`;
  const { allowed_tool_patterns: _patterns, ...spec } = entry.spec;
  const { model: own, ...parts } = entry;
  const changed: AgentEntry = {
    ...parts,
    ...(model === undefined ? own !== undefined && { model: own } : typeof model !== "string" && { model }),
    ...(tools !== undefined && { tools }),
    spec: {
      ...(tools === undefined ? entry.spec : { ...spec, allowed_tools: tools.map(({ descriptor }) => descriptor.id) }),
      id,
      ...(typeof model === "string" && { model }),
      ...(instructions !== undefined && { system_prompt: instructions }),
    },
  };
  const forget = agents.lend(changed);
  try {
    // Every mistake in the changes is found before anything is stored.
    agents.plan(id);
  } catch (error) {
    forget();
    throw error;
  }
  return [id, forget];
}
