import {
  type Decision,
  type DecisionInput,
  decisionConflict,
  derivedDecisionId,
  invalidRequest,
  isApproval,
  RepriseError,
  type ResumeMode,
  readRemember,
  runNotActive,
  type TenantStore,
  type ToolCallRecord,
} from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import type { Services } from "../loop/services.ts";
import { listAllCalls } from "../thread/calls.ts";
import { readCallName } from "../thread/derived-ids.ts";
import { assertAsksPerson, assertBinding, assertDecisionInput } from "./assert-decision.ts";
import { assertEdit } from "./assert-edit.ts";
import { findEarlierDecision } from "./earlier-decision.ts";
import { type FoundCall, findAnsweredCall, findTarget } from "./find-call.ts";

/** The runs that decisions are for: any run of a thread, or one of them. */
export interface DecisionTarget {
  readonly threadId: string;
  readonly runId?: string;
  /** The person or client that decides. */
  readonly decidedBy?: string;
}

/**
 * Stores decisions that came with a request; returns the run they belong to. All are checked before the first is stored; only
 * whether a question's time is up is the store's to say.
 */
export async function forwardDecisions(
  services: Services,
  tenant: string,
  target: DecisionTarget,
  inputs: readonly DecisionInput[],
): Promise<string> {
  const store = services.store.forTenant(tenant);
  const now = services.time.now();
  const { threadId, runId, decidedBy } = target;
  const signed = (decision: Decision): Decision =>
    decidedBy === undefined ? decision : { ...decision, decided_by: decidedBy };
  const calls = await listAllCalls(store, {
    status: "suspended",
    ...(runId === undefined ? { thread_id: threadId } : { run_id: runId }),
  });
  const decisions: { readonly decision: Decision; readonly early: boolean }[] = [];
  for (const input of inputs) {
    assertDecisionInput(input);
    const waiting = findTarget(calls, input.target_id) ?? (await findBelow(store, target, input.target_id));
    const found = waiting === undefined ? await findAnsweredCall(store, target, input.target_id) : { call: waiting };
    const earlier = found === undefined ? undefined : await findEarlier(store, found, input, now);
    if (earlier !== undefined) decisions.push({ decision: earlier, early: false });
    else if (waiting === undefined) {
      decisions.push({ decision: signed(await lowerEarly(store, target, found, input, now)), early: true });
    } else {
      assertAsksPerson(waiting);
      assertBinding(waiting, input.binding_hash);
      await assertEdit(services, tenant, waiting, input);
      decisions.push({ decision: signed(lower(waiting, input, now)), early: false });
    }
  }
  const [first] = decisions;
  if (first === undefined) throw invalidRequest("A run request needs a message or a decision.");
  for (const { decision, early } of decisions) await store.decide(decision, { early });
  return (await runOnThread(store, first.decision.run_id, threadId)) ?? first.decision.run_id;
}

/** A call of a run below that waits: a page that shows the runs below decides through the thread of the run above. */
async function findBelow(
  store: TenantStore,
  { threadId, runId }: DecisionTarget,
  targetId: string,
): Promise<ToolCallRecord | undefined> {
  const named = readCallName(targetId);
  const call = named && (await store.loadCall(named.run_id, named.call_id));
  if (call === undefined || call.status !== "suspended" || call.thread_id === threadId) return undefined;
  const above = await runOnThread(store, call.run_id, threadId);
  return above !== undefined && (runId ?? above) === above ? call : undefined;
}

/** The run of a thread that a run works for, or the run itself when it is of the thread. */
async function runOnThread(store: TenantStore, runId: string, threadId: string): Promise<string | undefined> {
  for (let run = await store.loadRun(runId); run !== undefined; ) {
    if (run.thread_id === threadId) return run.run_id;
    // Only runs that calls started are below another one.
    if (run.depth === undefined || run.parent_run_id === undefined) return undefined;
    run = await store.loadRun(run.parent_run_id);
  }
  return undefined;
}

function findEarlier(
  store: TenantStore,
  { call, suspension }: FoundCall,
  input: DecisionInput,
  now: number,
): Promise<Decision | undefined> {
  const answered = { decisionId: input.decision_id, suspension: input.suspension ?? suspension };
  const modes = call.ticket === undefined ? RESUME_MODES : [call.ticket.resume_mode];
  const readings = modes.map((mode) => lower(call, input, now, mode));
  return findEarlierDecision(store, call, answered, readings);
}

/** A payload is read in two ways: as a yes to a call that would run, or as an answer. */
const RESUME_MODES: readonly ResumeMode[] = ["replay_tool_call", "use_decision_as_tool_result"];

/** A decision before its suspension counts when its sender says exactly what about. Throws why no other one can. */
async function lowerEarly(
  store: TenantStore,
  { threadId, runId }: DecisionTarget,
  found: FoundCall | undefined,
  input: DecisionInput,
  now: number,
): Promise<Decision> {
  const { target_id, binding_hash } = input;
  const named = readCallName(target_id);
  if (named !== undefined && binding_hash !== undefined) {
    const { run_id, call_id } = named;
    return { ...said(input, input.result), run_id, call_id, suspension: 1, binding_hash, updated_at: now };
  }
  if (found !== undefined) {
    const { run_id, call_id } = found.call;
    const stored = await store.loadDecision(run_id, call_id, found.suspension ?? found.call.suspension);
    if (stored !== undefined) throw decisionConflict(stored);
  }
  const run = found?.call.run_id ?? runId;
  const record = run === undefined ? undefined : await store.loadRun(run);
  if (record?.status === "done") throw runNotActive(record.run_id, record.termination_code);
  const message = `No call on thread ${threadId} waits for a decision on ${target_id}.`;
  throw new RepriseError("NOT_SUSPENDED", message, { details: { target_id } });
}

function lower(
  call: ToolCallRecord,
  input: DecisionInput,
  now: number,
  mode: ResumeMode | undefined = call.ticket?.resume_mode,
): Decision {
  const { run_id, call_id, suspension } = call;
  const { binding_hash } = input;
  const decided = said({ ...input, target_id: call_id }, resultFor(mode, input), suspension);
  return {
    ...decided,
    run_id,
    call_id,
    suspension,
    ...(binding_hash !== undefined && { binding_hash }),
    updated_at: now,
  };
}

type Said = Pick<Decision, "decision_id" | "action" | "arguments" | "result" | "reason" | "remember">;

function said(input: DecisionInput, result: Json | undefined, suspension = 1): Said {
  return {
    decision_id: input.decision_id ?? derivedDecisionId(input.target_id, suspension),
    action: input.action,
    ...(input.arguments !== undefined && { arguments: input.arguments }),
    ...(result !== undefined && { result }),
    ...(input.reason !== undefined && { reason: input.reason }),
    ...rememberOf(input, result),
  };
}

/** Said beside the answer, or in it: `{ approved: true, remember: true }`. A result that stands for the tool's own says nothing of it. */
function rememberOf(input: DecisionInput, result: Json | undefined): Pick<Decision, "remember"> {
  if (result !== undefined && input.action === "resume") return {};
  const inAnswer = [input.payload, input.result].map((answer) => getAt(answer ?? null, ["remember"]));
  const remember = readRemember(input.remember ?? inAnswer.find((value) => value !== undefined));
  return remember === undefined ? {} : { remember };
}

/** A call that waits for a yes gets one by anything that says so; one that waits for an answer gets the answer. */
function resultFor(mode: ResumeMode | undefined, { action, result, payload }: DecisionInput): Json | undefined {
  if (action === "cancel") return result;
  if (mode !== "replay_tool_call") return result === undefined ? payload : result;
  return result !== undefined && isApproval(result) ? undefined : result;
}
