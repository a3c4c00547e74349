import {
  activeAgentOf,
  type Decision,
  isTerminal,
  RepriseError,
  type RunRecord,
  type RunRequest,
  type TenantStore,
  type Termination,
  TOOL_CALL_TRANSITIONS,
  type ToolCallRecord,
  terminationCode,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { sharedLimits } from "../budget/find-budget.ts";
import { newEntry } from "../run/new-entry.ts";
import type { RunEditor } from "../run/ports.ts";
import { cancelBelow, childrenOf, completionOf, isInCancelledTree, requestStop, rootOf } from "../run/run-tree.ts";
import { runsBelow } from "../run/spending.ts";
import { frameText } from "../thread/frame-text.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { lastAnswer } from "./structured-output.ts";

/** The run is at work again, or over: it no longer waits for runs below it. */
export function endRunWait(workspace: RunEditor): void {
  const { awaits_runs, ...run } = workspace.run;
  if (awaits_runs !== undefined) workspace.replaceRun(run);
}

/**
 * Answers the call that waits for this run. Stored before the run ends, so that no crash loses it; an owner that takes over gives the same
 * answer, which counts once. A call that has not been suspended yet finds the answer when it is.
 */
export async function answerCall(workspace: RunWorkspace, termination: Termination): Promise<void> {
  await answer(workspace.store, workspace.run, { ...describeEnd(workspace, termination) }, workspace.now);
}

/** A run below, as its row or the request for it describes it. */
type RunBelow = Pick<RunRecord, "agent_id" | "parent_run_id" | "parent_call_id" | "background" | "root_run_id"> & {
  readonly run_id: string;
};

/**
 * Answers the call that waits for a run which ended without a last step of its own: it was superseded, was cancelled before it began, or its
 * thread is gone.
 */
export async function answerForStopped(
  store: TenantStore,
  run: RunBelow,
  now: number,
  end: { readonly status: "stopped" } | { readonly status: "failed"; readonly error: string } = { status: "stopped" },
): Promise<void> {
  // A tool that started a run by itself waits for it by itself.
  if (run.root_run_id === undefined) return;
  const { run_id, agent_id } = run;
  try {
    await answer(store, run, { run_id, agent_id, ...end }, now);
  } catch (error) {
    // The run above is over, or was answered before.
    if (!RepriseError.is(error) || error.isRetryable) throw error;
  }
}

/** Tells the run above of a run that could not be started, however often it was tried. */
export async function reportUnstarted(store: TenantStore, run_id: string, now: number): Promise<void> {
  const { items } = await store.listEntries({ run_id });
  const entry = items.find(({ kind }) => kind === "run");
  const { request } = entry ?? {};
  if (entry?.status !== "dead_letter" || request?.root_run_id === undefined) return;
  const error = `The run could not be started: ${entry.last_error ?? "its owners were lost"}`;
  const run = { ...request, run_id };
  if (isWaitedFor(run)) return answerForStopped(store, run, now, { status: "failed", error });
  const text = `Run ${run_id} of agent ${request.agent_id} is over: error.\n\n${error}`;
  await tellThread(store, run, { status: "failed", error, text });
}

/**
 * Writes to the thread above that a run in the background is over: a message that a run at work there takes in, and that is a run of its own
 * otherwise. Counts once, however often it is told.
 */
export async function tellThread(
  store: TenantStore,
  run: Pick<RunRecord, "run_id" | "parent_run_id" | "parent_thread_id">,
  { text, ...end }: ToldEnd & { readonly text: string },
): Promise<void> {
  const { parent_run_id: parentRunId, parent_thread_id: threadId } = run;
  if (parentRunId === undefined || threadId === undefined) return;
  const parent: RunRecord | undefined = await store.loadRun(parentRunId);
  if (parent?.thread_id !== threadId) return;
  // It was cancelled with everything below it: the end of that must not start it again.
  if (await isCancelled(store, parent)) return;
  const run_id = completionOf(run.run_id);
  const source = `run:${run.run_id}`;
  const content = frameText("task", source, text);
  const request = {
    agent_id: activeAgentOf(parent),
    thread_id: threadId,
    run_id,
    origin: "internal",
    sender_id: source,
    messages: [{ role: "user", content, visibility: "internal", metadata: { source, ...end } }],
    // It continues the work of the run above, under the same limits.
    ...sharedLimits(parent),
    // A process that dies before it looks for a cancellation below leaves the notice behind: then its run finds it.
    heeds: { run_id: parentRunId, root_run_id: rootOf(parent) },
  } satisfies RunRequest;
  const dedupe_key = `parent-task-completion:${parentRunId}:${run.run_id}`;
  await store.submit(newEntry(request, { busy_policy: "steer", priority: 0, dedupe_key, sender_id: source }));
  // A cancellation that came in between has looked for this notice already, and did not find it.
  if (await isCancelled(store, parent)) await requestStop(store, run_id, `Run ${parentRunId} was cancelled.`);
}

/** How a run ended, as the run above was told. */
export interface ToldEnd {
  readonly status: "completed" | "failed" | "stopped";
  readonly output?: string;
  readonly error?: string;
}

/**
 * The end that a run has told the run above and not committed yet. The run above may ask about it at once, and then the run is over: what it
 * told is the answer of its owner, or of the next one.
 */
export async function findToldEnd(store: TenantStore, run: RunRecord): Promise<ToldEnd | undefined> {
  if (run.root_run_id === undefined) return undefined;
  return isWaitedFor(run) ? findAnswer(store, run) : findNotice(store, run);
}

/** Whether a run has told the run above that it is over, also when the run above has taken that in already. */
export async function hasToldEnd(store: TenantStore, run: RunRecord): Promise<boolean> {
  if (run.root_run_id === undefined) return false;
  if (!isWaitedFor(run)) return (await findNotice(store, run)) !== undefined;
  const { parent_run_id = "", parent_call_id = "" } = run;
  const call = await store.loadCall(parent_run_id, parent_call_id);
  // A call that waited for the run and is over had its answer, or wants none.
  if (call !== undefined && isTerminal(TOOL_CALL_TRANSITIONS, call.status)) return true;
  return (await findAnswer(store, run)) !== undefined;
}

async function findAnswer(store: TenantStore, run: RunRecord): Promise<ToldEnd | undefined> {
  const { run_id, parent_run_id = "", parent_call_id = "" } = run;
  const call = await store.loadCall(parent_run_id, parent_call_id);
  const { suspension = 0 } = call ?? {};
  // A call that is not suspended yet finds its answer at its next suspension; one that had it keeps it at its last one.
  for (const asked of [suspension, suspension + 1]) {
    const decision = await store.loadDecision(parent_run_id, parent_call_id, asked);
    // Written by `answer`.
    if (decision?.decision_id === endOf(run_id)) return decision.result as unknown as ToldEnd;
  }
  return undefined;
}

async function findNotice(store: TenantStore, { run_id, thread_id }: RunRecord): Promise<ToldEnd | undefined> {
  const { items } = await store.listEntries({ run_id: completionOf(run_id) });
  const [notice] = items.find(({ kind }) => kind === "run")?.request?.messages ?? [];
  if (notice === undefined) return undefined;
  // Written by `tellThread`.
  const { status, error } = (notice.metadata ?? {}) as unknown as ToldEnd;
  const { messages } = await store.listMessages(thread_id, { order: "desc", visibility: "any" });
  const output = lastAnswer(messages.toReversed(), run_id);
  return { status, ...(output !== undefined && { output }), ...(error !== undefined && { error }) };
}

async function answer(store: TenantStore, run: RunBelow, result: Json, now: number): Promise<void> {
  const { run_id, parent_run_id, parent_call_id } = run;
  if (parent_run_id === undefined || parent_call_id === undefined || !isWaitedFor(run)) return;
  // A call that was begun while the model still spoke is not stored yet.
  const call = await store.loadCall(parent_run_id, parent_call_id);
  if (call !== undefined && isTerminal(TOOL_CALL_TRANSITIONS, call.status)) return;
  const isSuspended = call?.status === "suspended";
  if (isSuspended && call.ticket?.run_id !== run_id) return;
  const decision: Decision = {
    decision_id: endOf(run_id),
    run_id: parent_run_id,
    call_id: parent_call_id,
    suspension: awaitingSuspension(call),
    action: "resume",
    result,
    updated_at: now,
  };
  await store.decide(decision, { early: true });
}

/** The suspension in which a call waits for a run: the present one, or the next one of a call that is not suspended yet. */
function awaitingSuspension(call: ToolCallRecord | undefined): number {
  if (call === undefined) return 1;
  return call.status === "suspended" ? call.suspension : call.suspension + 1;
}

/** The end of a run in the words of the run above. */
export function describeEnd(
  workspace: RunWorkspace,
  termination: Termination,
): ToldEnd & { readonly run_id: string; readonly agent_id: string; readonly stopped_by?: string } {
  const { run_id, agent_id } = workspace.run;
  const output = lastAnswer(workspace.modelMessages(), run_id);
  const known = { run_id, agent_id, ...(output !== undefined && { output }) };
  if (termination.type === "error") return { ...known, status: "failed", error: termination.value };
  if (termination.type === "cancelled") return { ...known, status: "stopped", ...timedOut(workspace) };
  if (termination.type === "behavior_requested" && termination.detail !== undefined)
    return { ...known, status: "completed", stopped_by: termination.detail };
  if (termination.type !== "stopped") return { ...known, status: "completed" };
  return { ...known, status: "completed", stopped_by: terminationCode(termination) };
}

/** A run above should know that the time was over, and that no person stopped its task. */
function timedOut({ run, now }: RunWorkspace): { readonly stopped_by?: string } {
  return run.deadline_at !== undefined && run.deadline_at <= now ? { stopped_by: "time_limit" } : {};
}

/**
 * Stops the runs below a run that is over: all of them when the run was cancelled, otherwise those that its calls waited for. Runs in the
 * background continue, and report to the thread. Answers the runs right below it when all of them are over: then they do not change any more.
 */
export async function stopChildren(
  store: TenantStore,
  run: RunRecord,
  { isCancelled, now }: { readonly isCancelled: boolean; readonly now: number },
): Promise<readonly RunRecord[] | undefined> {
  const reason = `Run ${run.run_id}, which started it, is over.`;
  if (isCancelled) {
    await cancelBelow(store, run, reason, now);
    return undefined;
  }
  const children = await childrenOf(store, run);
  if (children.length === 0) return undefined;
  // Most of them are over, which one question tells.
  const below = await runsBelow(store, run.run_id);
  const over = new Set(below.flatMap(({ run_id, status }) => (status === "done" ? run_id : [])));
  const open = children.filter((childId) => !over.has(childId));
  for (const childId of open) if (await isAwaited(store, childId)) await requestStop(store, childId, reason);
  return open.length === 0 && over.size === below.length ? below : undefined;
}

/** Whether a run was cancelled, or is about to be. */
async function isCancelled(store: TenantStore, run: RunRecord): Promise<boolean> {
  // A run that was at its last commit ended by itself. The runs below it were cancelled all the same.
  if (await isInCancelledTree(store, run)) return true;
  const { run_id, status, termination_code } = run;
  // A run can be done before it is asked to end.
  if (status === "done") return termination_code === "cancelled";
  const { items } = await store.listEntries({ run_id });
  return items.some(({ kind }) => kind === "cancel");
}

/** Whether a call waits for a run. A run in the background writes to its parent's thread instead. */
export function isWaitedFor({ parent_call_id, background }: Pick<RunRecord, "parent_call_id" | "background">): boolean {
  return parent_call_id !== undefined && background !== true;
}

/** Whether a call waits for a run in vain. A run that has answered is about to end by itself, as it answered. */
async function isAwaited(store: TenantStore, runId: string): Promise<boolean> {
  const record = await store.loadRun(runId);
  const entries = record === undefined ? (await store.listEntries({ run_id: runId })).items : [];
  const run: Partial<RunBelow> = record ?? entries.find(({ kind }) => kind === "run")?.request ?? {};
  const { parent_run_id, parent_call_id } = run;
  if (parent_run_id === undefined || parent_call_id === undefined || !isWaitedFor(run)) return false;
  const { suspension = 1 } = (await store.loadCall(parent_run_id, parent_call_id)) ?? {};
  const decision = await store.loadDecision(parent_run_id, parent_call_id, suspension);
  return decision?.decision_id !== endOf(runId);
}

/** The id of the decision by which a run answers the call that waits for it. */
function endOf(runId: string): string {
  return `end-of-${runId}`;
}
