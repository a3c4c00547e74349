import {
  type AgentSpec,
  awaitRun,
  type ChildRun,
  type Composition,
  type ErrorCode,
  RepriseError,
  type RunLimits,
  type RunLimitsPolicy,
  type Termination,
  type ToolCallRecord,
  toolFailure,
  toolPending,
  toolSuccess,
} from "@reprise/contracts";
import { getAt, type Json, ops } from "@reprise/state";
import { STEP_CALL } from "../budget/budget-call.ts";
import type { StartedRun } from "../run/ports.ts";
import { ticketFor } from "../thread/ask-about.ts";
import { callIdOf, messageIdOf, stepIdOf } from "../thread/derived-ids.ts";
import { inheritedStates, RUN_PATH } from "../thread/run-state.ts";
import { reportBy } from "../tools/perform-call.ts";
import { findDecisions } from "./decide-calls.ts";
import { planNext, type StepStart, type StepState, type StepStates } from "./plan-composition.ts";
import { inputOf } from "./run-input.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import { sayAnswer } from "./say-answer.ts";
import { endCall, moveCall, suspendCall } from "./settle-call.ts";

/** Where a composed run is, inside the run's part of the state: it is as durable as the run, and ends with it. */
const PLACE = [RUN_PATH, "composition"];

/**
 * Runs a composed agent: no model, a run below for each step. Every step is a call of the runtime's own that waits for its run, so the run gives
 * its claim back while its steps work. What comes next follows from the state alone.
 */
export async function runComposed(workspace: RunWorkspace, spec: AgentSpec): Promise<Termination> {
  const composition = pinComposition(workspace, spec);
  const input = inputOf(workspace);
  const left = workspace.openCalls.filter(({ status }) => status === "running");
  if (left.length > 0) await startRuns(workspace, left);
  for (;;) {
    workspace.signal.throwIfAborted();
    if (await takeResults(workspace)) continue;
    const next = planNext(composition, input, stepsOf(workspace));
    if (next.kind === "failed") return { type: "error", value: next.message, code: "STEP_FAILED" };
    if (next.kind === "done") {
      sayAnswer(workspace, next.text);
      return next.stopped === undefined ? { type: "natural_end" } : { type: "stopped", value: { code: next.stopped } };
    }
    if (next.starts.length === 0) return { type: "suspended" };
    await beginSteps(workspace, next.starts);
  }
}

/** A run keeps the composition it began with: results of one plan say nothing about another. */
function pinComposition(workspace: RunWorkspace, { compose }: AgentSpec): Composition {
  const pinned = getAt(workspace.document, [...PLACE, "plan"]);
  // Written below.
  if (pinned !== undefined) return pinned as unknown as Composition;
  if (compose === undefined)
    throw new RepriseError("INTERNAL", "A run without a composition is run as a composed one.");
  workspace.addPatch("runtime", [ops.set(PLACE, { plan: compose as unknown as Json, steps: {} })]);
  return compose;
}

function stepsOf({ document }: RunWorkspace): StepStates {
  // Written by `noteStep`.
  return (getAt(document, [...PLACE, "steps"]) ?? {}) as unknown as StepStates;
}

function noteStep(workspace: RunWorkspace, key: string, state: StepState): void {
  workspace.addPatch("runtime", [ops.set([...PLACE, "steps", key], { ...state })]);
}

/** Takes in what the runs below came to; tells whether there was anything. */
async function takeResults(workspace: RunWorkspace): Promise<boolean> {
  const { decided } = await findDecisions(workspace, workspace.takeFound());
  for (const [call, { suspension, result = null }] of decided) {
    const { run_id, call_id } = call;
    workspace.consume({ run_id, call_id, suspension });
    endStep(workspace, moveCall(workspace, call, "decide"), result);
  }
  if (decided.length > 0) await workspace.commit("tool_results");
  return decided.length > 0;
}

function endStep(workspace: RunWorkspace, call: ToolCallRecord, result: Json): void {
  const [key, agent_id] = ["step", "agent_id"].map((name) => String(getAt(call.arguments, [name])));
  const known = stepsOf(workspace)[key ?? ""];
  const [status, output, error] = ["status", "output", "error"].map((name) => getAt(result, [name]));
  noteStep(workspace, key ?? "", {
    ...known,
    agent_id: agent_id ?? "",
    status: status === "completed" || status === "stopped" ? status : "failed",
    ...(typeof output === "string" && { output }),
    ...(typeof error === "string" && { error }),
  });
  if (status === "completed") return endCall(workspace, call, toolSuccess(STEP_CALL, result), "succeed");
  const message = typeof error === "string" ? error : `The run of agent ${agent_id} was stopped.`;
  endCall(workspace, call, toolFailure(STEP_CALL, "execution_failed", message), "fail");
}

/** Begins steps: their calls are committed first, so that an owner that takes over finds the runs that were started. */
async function beginSteps(workspace: RunWorkspace, starts: readonly StepStart[]): Promise<void> {
  const { run } = workspace;
  const { run_id, thread_id } = run;
  const stepId = stepIdOf(run_id, run.steps + 1);
  workspace.setRun({ steps: run.steps + 1, has_children: true });
  workspace.emit("step_start", { message_id: messageIdOf(stepId) }, stepId);
  const calls = starts.map(({ key, agent_id, prompt, thread_id: continues, limits }, index): ToolCallRecord => {
    const given = {
      step: key,
      agent_id,
      prompt,
      ...(continues !== undefined && { thread_id: continues }),
      ...(limits !== undefined && { limits: { ...limits } }),
    };
    const asked = { tool_id: STEP_CALL, tool_version: "1", arguments: given, updated_at: workspace.now };
    noteStep(workspace, key, { agent_id, status: "running" });
    const call_id = callIdOf(stepId, index);
    return moveCall(
      workspace,
      { call_id, run_id, thread_id, step_id: stepId, ...asked, status: "new", suspension: 0 },
      "start",
    );
  });
  workspace.emitOnCommit("step_end", {}, stepId);
  await workspace.commit("tool_intent");
  await startRuns(workspace, calls);
}

/** Starts the run of each call, and has the call wait for it. */
async function startRuns(workspace: RunWorkspace, calls: readonly ToolCallRecord[]): Promise<void> {
  for (const call of calls) {
    workspace.assertHeld();
    const started = await startRun(workspace, call);
    if ("error" in started) {
      endStep(workspace, call, { status: "failed", error: started.error });
      continue;
    }
    const { runId, threadId, agentId } = started;
    reportBy(workspace, call, started);
    noteStep(workspace, String(getAt(call.arguments, ["step"])), {
      agent_id: agentId,
      status: "running",
      run_id: runId,
      thread_id: threadId,
    });
    const { request } = awaitRun({ runId, agentId });
    const ticket = ticketFor(call, request, { askedBy: "runtime", mode: "use_decision_as_tool_result" });
    suspendCall(workspace, call, ticket, toolPending(STEP_CALL, ticket));
  }
}

const REFUSALS: readonly ErrorCode[] = ["DELEGATION_LIMIT", "AGENT_NOT_FOUND", "BUDGET_EXCEEDED"];

function toAuthorLimits({ limit_microcents, limit_tokens, limit_tool_calls, limit_ms }: RunLimitsPolicy): RunLimits {
  return {
    ...(limit_microcents !== undefined && { limitMicrocents: limit_microcents }),
    ...(limit_tokens !== undefined && { limitTokens: limit_tokens }),
    ...(limit_tool_calls !== undefined && { limitToolCalls: limit_tool_calls }),
    ...(limit_ms !== undefined && { limitMs: limit_ms }),
  };
}

type Started = StartedRun | { readonly error: string };

function startRun(workspace: RunWorkspace, call: ToolCallRecord): Promise<Started> {
  const { services, claim, run, signal, effects } = workspace;
  const [agentId = "", prompt = "", threadId] = ["agent_id", "prompt", "thread_id"].map((name) => {
    const value = getAt(call.arguments, [name]);
    return typeof value === "string" ? value : undefined;
  });
  // Written by `beginSteps`.
  const stored = getAt(call.arguments, ["limits"]) as RunLimitsPolicy | undefined;
  const limits = stored === undefined ? {} : { limits: toAuthorLimits(stored) };
  // Made of JSON; its interface hides it.
  const encode = (started: Started): Json => ({ ...started }) as unknown as Json;
  return effects.perform({ kind: "delegate", of: call.call_id, encode }, async () => {
    let started: StartedRun | undefined;
    const inherited = async () => inheritedStates(workspace.document);
    const runs = services.delegation.runsOf({ tenant: claim.tenant, run, call, signal, inherited }, (child) => {
      started = child;
    });
    try {
      const child: ChildRun = await runs.start({
        agentId,
        prompt,
        ...(threadId !== undefined && { threadId }),
        ...limits,
      });
      return started ?? { ...child, depth: (run.depth ?? 0) + 1, background: false };
    } catch (error) {
      signal.throwIfAborted();
      // What the tree, the policy or the budget does not allow fails the step. Anything else is a matter of the run.
      if (!RepriseError.is(error) || !REFUSALS.includes(error.code)) throw error;
      return { error: error.message };
    }
  });
}
