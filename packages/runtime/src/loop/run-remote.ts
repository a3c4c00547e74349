import {
  type AgentSpec,
  activeAgentOf,
  type BackendDecision,
  type BackendEvent,
  type Decision,
  derivedDecisionId,
  describeThrown,
  type ExecutionBackend,
  RepriseError,
  type RunRecord,
  type Termination,
  type ToolCallRecord,
  toolFailure,
  toolPending,
  toolSuccess,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { BACKEND_CALL } from "../budget/budget-call.ts";
import { NEVER, withTimeout } from "../effects/with-timeout.ts";
import { loaderOf } from "../media/blobs.ts";
import { ticketFor } from "../thread/ask-about.ts";
import { callIdOf, messageIdOf, stepIdOf } from "../thread/derived-ids.ts";
import { isShownByBackend, isShownEvent, readBackendEvent, type ShownEvent } from "./backend-event.ts";
import { describeToBackend } from "./backend-notes.ts";
import { backendFailed, readOutcome, type StoredOutcome, type StoredQuestion } from "./backend-outcome.ts";
import { askAgain, describeDecision, findDecisions } from "./decide-calls.ts";
import type { RunWorkspace } from "./run-workspace.ts";
import type { Services } from "./services.ts";
import { endCall, moveCall, suspendCall } from "./settle-call.ts";

/**
 * Has a run executed elsewhere: the thread, the journal, the questions and the outcome are kept here, the work is not done here.
 * Every request to the backend is a step.
 */
export async function runRemote(
  workspace: RunWorkspace,
  spec: AgentSpec,
  backend: ExecutionBackend,
): Promise<Termination> {
  const decisions = await takeDecisions(workspace);
  // Woken, and nothing is decided: the backend has nothing new to hear.
  if (decisions.length === 0 && workspace.openCalls.length > 0) return { type: "suspended" };
  const { run } = workspace;
  const stepId = stepIdOf(run.run_id, run.steps + 1);
  workspace.setRun({ steps: run.steps + 1 });
  workspace.emit("step_start", { message_id: messageIdOf(stepId) }, stepId);
  const outcome = await askBackend(workspace, stepId, { spec, backend, decisions });
  if (outcome.text !== "") {
    const metadata = { run_id: run.run_id, step_index: run.steps + 1 };
    workspace.addMessage({ id: messageIdOf(stepId), role: "assistant", content: outcome.text, metadata });
  }
  keepQuestions(workspace, stepId, outcome, decisions);
  workspace.emitOnCommit("step_end", {}, stepId);
  return outcome.termination;
}

/** Tells a backend that a run is over for good. One that does not answer is left alone after a while. */
export async function cancelRemote(workspace: RunWorkspace, spec: AgentSpec, backend: ExecutionBackend): Promise<void> {
  if (backend.cancel === undefined) return;
  const { effects, services, run, claim } = workspace;
  const tell = async (): Promise<void> =>
    backend.cancel?.(spec, describeToBackend(services, claim.tenant, run, spec.id));
  const question = { kind: "backend", of: `${run.run_id}-cancel`, encode: () => undefined } as const;
  await effects.perform(question, () => withTimeout(services.env.clock, NEVER, services.limits.hookTimeoutMs, tell));
}

/**
 * The same for a waiting run whose place another took: its end is a part of the other's first commit. The other run goes no further
 * until this is done, so when a process dies in between, the next owner of a run without a step does it again.
 */
export async function leaveRemote(services: Services, tenant: string, run: RunRecord): Promise<void> {
  const { run_id } = run;
  const agent_id = activeAgentOf(run);
  try {
    const plan = services.agents.plan(agent_id);
    if (plan.kind !== "backend") return;
    const tell = async (): Promise<void> =>
      plan.backend.cancel?.(plan.spec, describeToBackend(services, tenant, run, plan.spec.id));
    await withTimeout(services.env.clock, NEVER, services.limits.hookTimeoutMs, tell);
  } catch (error) {
    const details = { run_id, agent_id, problem: describeThrown(error) };
    services.env.log("error", "a backend could not be told that its run is over", details);
  }
}

/** A decision with the question it is about. */
interface TakenDecision extends BackendDecision {
  readonly call: ToolCallRecord;
}

/**
 * The decisions the backend has to hear: those that are new, and those an earlier owner took and died over. They are consumed by a
 * commit before the backend is asked, so that the run is seen to continue.
 */
async function takeDecisions(workspace: RunWorkspace): Promise<readonly TakenDecision[]> {
  const taken: TakenDecision[] = [];
  for (const call of workspace.openCalls.filter(({ status }) => status === "resuming")) {
    const { run_id, call_id, suspension } = call;
    const decision = await workspace.effects.perform({ kind: "decision", of: call_id }, () =>
      workspace.store.loadDecision(run_id, call_id, suspension),
    );
    taken.push(describeTaken(call, decision));
  }
  const { decided, expired } = await findDecisions(workspace);
  for (const [call, decision] of decided) {
    const { run_id, call_id, suspension, step_id } = call;
    workspace.consume({ run_id, call_id, suspension });
    const moved = moveCall(workspace, call, "decide");
    if (decision.binding_hash !== undefined && decision.binding_hash !== call.binding_hash) {
      await askAgain(workspace, moved, call.ticket);
      continue;
    }
    workspace.emitOnCommit("tool_call_resumed", { target_id: call_id, result: describeDecision(decision) }, step_id);
    taken.push(describeTaken(moved, decision));
  }
  for (const call of expired) taken.push(describeTaken(moveCall(workspace, call, "decide"), undefined));
  if (decided.length + expired.length > 0) await workspace.commit("tool_intent");
  return taken;
}

/** A question without a decision is one that ran out. */
function describeTaken(call: ToolCallRecord, decision: Decision | undefined): TakenDecision {
  const { call_id, suspension, provider_call_id: questionId = call_id, arguments: parameters } = call;
  const expired = { action: "cancel", reason: "The question expired before a decision was made." } as const;
  const {
    action,
    arguments: edited,
    result,
    reason,
  }: Omit<BackendDecision, "decisionId" | "questionId" | "parameters"> = decision ?? expired;
  return {
    call,
    decisionId: decision?.decision_id ?? derivedDecisionId(call_id, suspension),
    questionId,
    parameters,
    action,
    ...(edited !== undefined && { arguments: edited }),
    ...(result !== undefined && { result }),
    ...(reason !== undefined && { reason }),
  };
}

interface Asked {
  readonly spec: AgentSpec;
  readonly backend: ExecutionBackend;
  readonly decisions: readonly TakenDecision[];
}

async function askBackend(
  workspace: RunWorkspace,
  stepId: string,
  { spec, backend, decisions }: Asked,
): Promise<StoredOutcome> {
  const { run, signal, services, effects, journal } = workspace;
  workspace.assertHeld();
  let isOver = false;
  let outcome: StoredOutcome | undefined;
  const showText = (delta: string): void => {
    if (!isOver) workspace.emit("text_delta", { delta }, stepId);
  };
  const show = (event: BackendEvent): void => {
    if (!isOver) showEvent(workspace, stepId, readBackendEvent(backend, { runId: run.run_id, stepId }, event));
  };
  const ask = async (): Promise<StoredOutcome> => {
    const described = describeToBackend(services, workspace.claim.tenant, run, spec.id);
    const messages = workspace.modelMessages();
    const made = decisions.map(({ call: _, ...decision }) => decision);
    const load = loaderOf(services.blobs, workspace.claim.tenant);
    try {
      // Raced with the signal: a backend that does not heed it must not hold the run up.
      const answer = await withTimeout(services.env.clock, signal, null, async (own) =>
        backend.run(spec, { ...described, messages, decisions: made, signal: own, showText, show, load }),
      );
      outcome = readOutcome(backend, answer);
      return outcome;
    } catch (error) {
      signal.throwIfAborted();
      throw RepriseError.is(error, "BACKEND_FAILED") ? error : backendFailed(backend, error);
    } finally {
      isOver = true;
    }
  };
  return effects.stream(
    {
      kind: "backend",
      of: stepId,
      seq: () => journal.seq,
      isShown: (type) => type === "text_delta" || isShownByBackend(type),
      play: (event) => {
        if (event.type === "text_delta") showText(event.data.delta);
        else if (isShownEvent(event)) showEvent(workspace, stepId, event);
      },
      // Made of JSON; its interface hides it.
      facts: () => (outcome ?? null) as unknown as Json,
      recall: () => undefined,
    },
    ask,
  );
}

function showEvent(workspace: RunWorkspace, stepId: string, { type, data }: ShownEvent): void {
  // The data is that of the type, which the compiler cannot follow through the union.
  workspace.emit(type, data as never, stepId);
}

/** Brings the questions that are open here in line with those the backend says are open. */
function keepQuestions(
  workspace: RunWorkspace,
  stepId: string,
  { termination, questions = [] }: StoredOutcome,
  decisions: readonly TakenDecision[],
): void {
  const asked = new Map(termination.type === "suspended" ? questions.map((question) => [question.id, question]) : []);
  for (const { call, ...decision } of decisions) {
    const again = asked.get(decision.questionId);
    asked.delete(decision.questionId);
    if (again !== undefined) askPeople(workspace, { ...call, arguments: again.parameters ?? {} }, again);
    else if (decision.action === "resume")
      endCall(workspace, call, toolSuccess(BACKEND_CALL, decision.result ?? null), "succeed");
    else
      endCall(
        workspace,
        call,
        toolFailure(BACKEND_CALL, "denied", decision.reason ?? "The question was denied."),
        "cancel",
      );
  }
  if (termination.type !== "suspended") return;
  for (const call of workspace.openCalls) {
    if (call.status !== "suspended" || asked.delete(call.provider_call_id ?? "")) continue;
    if (decisions.some((decision) => decision.call.call_id === call.call_id)) continue;
    const message = "The remote agent withdrew the question.";
    workspace.emitOnCommit("tool_call_cancelled", { id: call.call_id, reason: "withdrawn" }, call.step_id);
    endCall(workspace, call, toolFailure(BACKEND_CALL, "cancelled", message), "cancel");
  }
  for (const [index, question] of [...asked.values()].entries()) {
    const call = questionCall(workspace, callIdOf(stepId, index), stepId, question);
    workspace.setCall(call);
    askPeople(workspace, call, question);
  }
}

function questionCall(
  { run, now }: RunWorkspace,
  call_id: string,
  step_id: string,
  { id, parameters = {} }: StoredQuestion,
): ToolCallRecord {
  const { run_id, thread_id } = run;
  const asked = { tool_id: BACKEND_CALL, tool_version: "1", provider_call_id: id, arguments: parameters };
  return { call_id, run_id, thread_id, step_id, ...asked, status: "new", suspension: 0, updated_at: now };
}

function askPeople(workspace: RunWorkspace, call: ToolCallRecord, { id: _, ...question }: StoredQuestion): void {
  const askedBy = `backend:${activeAgentOf(workspace.run)}`;
  const ticket = ticketFor(call, question, { askedBy, mode: "use_decision_as_tool_result" });
  suspendCall(workspace, call, ticket, toolPending(BACKEND_CALL, ticket));
}
