import {
  activeAgentOf,
  advanceRun,
  type Claim,
  describeThrown,
  type ErrorCode,
  type Inbox,
  MAX_ATTEMPTS,
  MAX_LOST_CLAIMS,
  MAX_RECOVERIES,
  type ObservedRun,
  RepriseError,
  type RunRecord,
  type Termination,
  type ToolCallRecord,
  toRepriseError,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { budgetOf } from "../budget/run-budget.ts";
import { LivePort } from "../effects/live-port.ts";
import { LongTexts } from "../effects/long-texts.ts";
import type { MailSource } from "../effects/mail-flag.ts";
import { ClaimLost, DEFAULT_CANCEL_REASON, RunCancelled } from "../effects/outcomes.ts";
import type { EffectPort } from "../effects/port.ts";
import { endActivation } from "../loop/end-activation.ts";
import { handOver } from "../loop/hand-off.ts";
import { readInbox } from "../loop/read-inbox.ts";
import { runComposed } from "../loop/run-composed.ts";
import { endRunWait } from "../loop/run-family.ts";
import { runLoop } from "../loop/run-loop.ts";
import { runProgram } from "../loop/run-program.ts";
import { runRemote } from "../loop/run-remote.ts";
import { RunWorkspace } from "../loop/run-workspace.ts";
import type { Services } from "../loop/services.ts";
import { ActivePlugins } from "../phases/active-plugins.ts";
import { migrateStates } from "../phases/migrate-states.ts";
import { observeAsHost, observeAsPlugins } from "../phases/observe-run.ts";
import { refreshTools } from "../phases/refresh-tools.ts";
import { listOpenCalls } from "../thread/calls.ts";
import type { LoadedThread } from "../thread/loaded-thread.ts";
import { runStateOps } from "../thread/run-state.ts";
import { saveSnapshotIfDue } from "../thread/save-snapshot.ts";
import { keepDeadline } from "./keep-deadline.ts";
import { leaveAgain } from "./start-entry.ts";

/** The claim as an activation sees it. */
export interface ClaimHandle {
  /** Aborted when the run is cancelled or the claim is lost. */
  readonly signal: AbortSignal;
  /** Aborted when the claim is lost, whatever else happened before. */
  readonly lost: AbortSignal;
  /** Throws `ClaimLost` when the claim may have run out unnoticed, as after a pause of the whole process. */
  readonly assertHeld: () => void;
  /** Raised when something came for the run. */
  readonly mail: MailSource;
  /** Frees the run's slot while a call waits for runs below it; returns the way to take it back. */
  readonly lendSlot: () => () => void;
}

/** A run to work on; with its thread when that is sure to be as the store has it, because the run was just started here. */
export interface ClaimedRun {
  readonly run: RunRecord;
  readonly thread?: LoadedThread;
  /** What has to be over before the run continues. */
  readonly left?: Promise<unknown>;
}

/** Works on a run that is committed as running and claimed by us, until it waits, is done or is no longer ours. */
export async function activate(
  services: Services,
  claim: Claim,
  { run, thread: started, left }: ClaimedRun,
  handle: ClaimHandle,
): Promise<void> {
  services.stopped.goOn(claim.tenant, run.run_id);
  const { tenant, thread_id } = claim;
  const thread = started ?? (await services.threads.load(services.store.forTenant(tenant), tenant, thread_id));
  const { env, blobs, time } = services;
  handle.lost.addEventListener("abort", () => services.bus.disown(tenant, run.run_id), { once: true });
  const recorded = services.recordedWorld?.recorded.bind(services.recordedWorld);
  const effects = new LivePort({ env, time, claim, ...handle, recorded, texts: new LongTexts(blobs, tenant, env) });
  let stopWatching: () => void = () => undefined;
  try {
    await left;
    if (started === undefined && run.steps === 0) await leaveAgain(services, tenant, run);
    await budgetOf(services.budgets, claim, run)?.takeOver();
    stopWatching = await keepDeadline(services, claim, run, handle.signal);
    await runActivation(services, claim, { run, thread }, { ...handle, effects });
  } finally {
    stopWatching();
    saveSnapshotIfDue(services, claim.tenant, thread);
  }
}

/** What an activation needs of its owner. */
export interface ActivationPort extends Pick<ClaimHandle, "assertHeld" | "lendSlot"> {
  readonly effects: EffectPort;
}

/** The work of an activation, over whatever port its effects come through. */
export async function runActivation(
  services: Services,
  claim: Claim,
  { run, thread }: Required<Pick<ClaimedRun, "run" | "thread">>,
  port: ActivationPort,
): Promise<void> {
  // A call in the background would otherwise keep the run that started it from its next change.
  const parentRunId = run.policy?.by_hand === undefined ? run.parent_run_id : undefined;
  const pools = services.pools.open(claim.tenant, run.run_id, parentRunId);
  const workspace = new RunWorkspace({ services, claim, run, thread, pools, ...port });
  const plugins = new ActivePlugins(workspace);
  observeAsHost(workspace, services.observers);
  try {
    if (claim.kind !== "start") await reopen(workspace);
    if (claim.lost !== undefined) await endActivation(workspace, bufferLost(claim.lost), "error:buffer_lost");
    else if (isPoison(claim)) await endActivation(workspace, poison(), "error:poison");
    else await work(workspace, plugins);
  } catch (error) {
    await handleFailure(workspace, error);
  } finally {
    workspace.journal.close();
    workspace.effects.close();
    await plugins.deactivate();
    services.pools.close(claim.tenant, run.run_id, pools);
  }
}

/** Works on the run as its agent is defined now, here or through a backend; then with the agents that take over. */
async function work(workspace: RunWorkspace, plugins: ActivePlugins): Promise<void> {
  for (let activation: ObservedRun["activation"] = workspace.claim.kind; ; activation = "handoff") {
    const { plan } = workspace;
    if (plan.kind === "backend") {
      return endActivation(workspace, await runRemote(workspace, plan.spec, plan.backend));
    }
    if (plan.kind === "composed") return endActivation(workspace, await runComposed(workspace, plan.spec));
    if (plan.kind === "program") {
      pinDefinition(workspace, plan.definition);
      return endActivation(workspace, await runProgram(workspace, plan));
    }
    pinDefinition(workspace, workspace.agent.definition);
    migrateStates(workspace);
    await plugins.activate();
    const stopObserving = observeAsPlugins(workspace, activation);
    workspace.useFrontendTools();
    await refreshTools(workspace, `${workspace.run.run_id}-e${workspace.claim.epoch}`);
    const end = await runLoop(workspace);
    if (end.type !== "handoff") return endActivation(workspace, end);
    await handOver(workspace);
    stopObserving();
    await plugins.leave();
    workspace.forgetAgent();
  }
}

/** A run remembers what it was started with; from the next step on it works with what there is. */
function pinDefinition(workspace: RunWorkspace, definition: string): void {
  const { definition: pinned } = workspace.run;
  if (pinned === definition) return;
  const agent_id = activeAgentOf(workspace.run);
  if (pinned !== undefined) workspace.emitOnCommit("definition_changed", { agent_id, from: pinned, to: definition });
  workspace.setRun({ definition });
}

/** Begins a later activation of a run: its calls are picked up, and readers hear that it continues. */
async function reopen(workspace: RunWorkspace): Promise<void> {
  const { store, effects } = workspace;
  const { run_id } = workspace.run;
  const question = { kind: "calls", of: run_id, encode: encodeCalls } as const;
  workspace.adoptCalls(await effects.perform(question, () => listOpenCalls(store, run_id)));
  const { cancel } = await lookIntoInbox(workspace);
  if (cancel !== undefined) throw new RunCancelled(cancel.entry_id, cancel.reason);
  if (workspace.run.status === "waiting") {
    endRunWait(workspace);
    const { termination_code: _code, termination_detail: _detail, ...open } = advanceRun(workspace.run, "resume");
    workspace.replaceRun(open);
  }
  workspace.addPatch("runtime", runStateOps(workspace.run));
  workspace.emit("run_start", {});
}

/** The first look of an activation. It finds what the run was woken for, which needs no second look. */
async function lookIntoInbox(workspace: RunWorkspace): Promise<Inbox> {
  const { mail, effects } = workspace;
  if (effects.loopVersion < 4) return readInbox(workspace);
  mail.take("steering");
  const inbox = await readInbox(workspace);
  if (inbox.steering !== undefined) mail.raise();
  workspace.keepFound(inbox.decisions);
  return inbox;
}

/** Rows are made of JSON; their interface hides it. */
function encodeCalls(calls: readonly ToolCallRecord[]): Json {
  return calls as unknown as Json;
}

/** Whether a run takes its owners with it: too many were lost while it was at work, or when it was woken. */
function isPoison({ kind, run, entry, lost_claims = 0 }: Claim): boolean {
  // Whatever the causes: a run that makes its owners too slow to keep it never gets further either.
  if (kind !== "start" && lost_claims >= MAX_LOST_CLAIMS) return true;
  if (kind === "recover") return run !== undefined && run.recoveries > MAX_RECOVERIES;
  // A wake-up also counts what the store refused, so it is given more time.
  return kind === "resume" && entry !== undefined && entry.attempts >= MAX_ATTEMPTS;
}

function poison(): Termination {
  return { type: "error", value: "The run lost its owners too often without getting further.", code: "POISON" };
}

function bufferLost({ from, to }: NonNullable<Claim["lost"]>): Termination {
  const value = `What the run committed as versions ${from} to ${to} was lost by the store before it was kept.`;
  return { type: "error", value, code: "BUFFER_LOST" };
}

/** Ends the run as what happened to it says; leaves it to its new owner when it is no longer ours. */
async function handleFailure(workspace: RunWorkspace, error: unknown): Promise<void> {
  const { services, claim, run, signal, lost } = workspace;
  const stopped: unknown = signal.aborted && !(error instanceof RunCancelled) ? signal.reason : error;
  const reason: unknown = lost.aborted ? lost.reason : stopped;
  workspace.journal.giveUpTail();
  // The thread changed under us, or the store is away: the claim is given back, and the next owner begins again from the store.
  if (isForLater(error)) throw error;
  if (isLost(reason) || isLost(error)) {
    services.threads.forget(claim.tenant, claim.thread_id);
    services.env.log("warn", "activation stopped: the claim is lost", { run_id: run.run_id, epoch: claim.epoch });
    return;
  }
  if (reason instanceof RunCancelled) {
    workspace.settleEntry({ entry_id: reason.entryId, status: "accepted" });
    const detail = reason.message === DEFAULT_CANCEL_REASON ? {} : { detail: reason.message };
    await endAtLast(workspace, { type: "cancelled", ...detail });
    return;
  }
  services.env.log("error", "a run failed", { run_id: run.run_id, problem: describe(error), cause: causeOf(error) });
  await abandon(workspace);
  workspace.emitOnCommit("error", { message: describe(error), code: codeOf(error) });
  await endAtLast(workspace, { type: "error", value: describe(error), code: codeOf(error) });
}

/** Ends a run whose end may itself fail; what cannot be committed is given up before the last attempt. */
async function endAtLast(workspace: RunWorkspace, termination: Termination): Promise<void> {
  const { services, claim, run } = workspace;
  try {
    await endActivation(workspace, termination).catch(async (error: unknown) => {
      if (isLost(error) || isForLater(error)) throw error;
      await abandon(workspace);
      await endActivation(workspace, { type: "error", value: describe(error), code: codeOf(error) });
    });
  } catch (error) {
    if (isForLater(error)) throw error;
    // The lease runs out and another owner tries; this copy of the thread can no longer be trusted.
    services.threads.forget(claim.tenant, claim.thread_id);
    services.env.log("error", "a run could not be ended", { run_id: run.run_id, problem: describe(error) });
  }
}

/** Goes back to what the store has of a run. */
async function abandon(workspace: RunWorkspace): Promise<void> {
  const { store, run, effects } = workspace;
  const question = { kind: "reload", of: run.run_id, encode: (stored: unknown) => stored as Json } as const;
  const { committed, open } = await effects.perform(question, async () => ({
    committed: (await store.loadRun(run.run_id)) ?? run,
    open: await listOpenCalls(store, run.run_id),
  }));
  const { termination_code: _code, termination_detail: _detail, ...row } = committed;
  // What was begun was shown, and what was paid was paid: both stay counted.
  const { cost_microcents } = run;
  const steps = Math.max(row.steps, run.steps);
  const counted = { ...row, steps, ...(cost_microcents !== undefined && { cost_microcents }) };
  workspace.abandon(row.status === "waiting" ? advanceRun(counted, "resume") : counted, open);
}

/** Whether the same may well succeed after a while, from a fresh look at the thread. */
function isForLater(error: unknown): boolean {
  return RepriseError.is(error) && FOR_LATER.includes(error.code);
}

/** A newer format is for a newer process; this one leaves the run alone. */
const FOR_LATER: readonly ErrorCode[] = [
  "VERSION_CONFLICT",
  "STORE_UNAVAILABLE",
  "STORE_REPLACED",
  "STORAGE_FULL",
  "FORMAT_TOO_NEW",
];

function isLost(error: unknown): boolean {
  return error instanceof ClaimLost || RepriseError.is(error, "STALE_EPOCH");
}

function codeOf(error: unknown): string {
  return toRepriseError(error).code;
}

function describe(error: unknown): string {
  return toRepriseError(error).message;
}

/** What lies behind an error, for the log alone: a model's failure hides what threw from clients. */
function causeOf(error: unknown): string | undefined {
  return error instanceof Error && error.cause !== undefined ? describeThrown(error.cause) : undefined;
}
