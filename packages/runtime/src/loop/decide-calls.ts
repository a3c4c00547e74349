import {
  awaitsRun,
  continuesByItself,
  type Decision,
  isOwnQuestion,
  type SuspendTicket,
  type ToolCallRecord,
  type ToolResult,
  toolFailure,
  toolSuccess,
} from "@reprise/contracts";
import { getAt, type Json } from "@reprise/state";
import { REVIEW_CALL } from "../budget/budget-call.ts";
import { bindingHash } from "../resolve/tool-version.ts";
import type { AgentView, CallBook, Host, Mailbox, RunEditor, RunView } from "../run/ports.ts";
import { nextSuspensionId } from "../thread/ask-about.ts";
import { decisionFor } from "../thread/calls.ts";
import { type AdmittingRun, admitCall } from "../tools/admit-call.ts";
import { type BudgetedRun, decideBudget } from "./budget-question.ts";
import type { RunnableCall } from "./call-executor.ts";
import { type InboxOwner, readInbox } from "./read-inbox.ts";
import { decideReview, endReview } from "./review-question.ts";
import { type CallEnd, endCall, finishCall, moveCall, pauseCall, type ToldRun } from "./settle-call.ts";

/** The parts of a run that decisions touch. */
export type DecidingRun = ToldRun &
  AdmittingRun &
  BudgetedRun &
  RunEditor &
  InboxOwner &
  CallBook &
  Pick<Mailbox, "consume"> &
  Pick<AgentView, "versionOf">;

/** What came of the calls that are suspended. */
export interface FoundDecisions {
  readonly decided: readonly DecidedCall[];
  /** Calls whose time is up without a decision. */
  readonly expired: readonly ToolCallRecord[];
}

/** What the decisions that are there come to: calls that are to be executed, and whether anything changed. */
export interface DecidedCalls {
  readonly isChanged: boolean;
  readonly runnable: readonly RunnableCall[];
}

/** A call that is suspended now, and what was decided about it. */
type DecidedCall = readonly [ToolCallRecord, Decision];

/** Lets decisions in, without executing anything. A question that ran out counts as denied; a tool whose time has come is executed again. */
export async function decideCalls(workspace: DecidingRun, { decided, expired }: FoundDecisions): Promise<DecidedCalls> {
  const runnable: RunnableCall[] = [];
  for (const [call, decision] of decided) {
    const next = await decideCall(workspace, call, decision);
    if (next !== undefined) runnable.push(next);
  }
  for (const call of expired) {
    const next = continuesByItself(call) ? await executeAgain(workspace, call) : await expire(workspace, call);
    if (next !== undefined) runnable.push(next);
  }
  return { isChanged: decided.length + expired.length > 0, runnable };
}

/** The time that a tool asked for is over. An approval counts for the tool that was approved: another one under its name is asked about. */
async function executeAgain(workspace: DecidingRun, suspended: ToolCallRecord): Promise<RunnableCall | undefined> {
  const due = moveCall(workspace, suspended, "decide");
  const changed = withOtherTool(workspace, due);
  const call = changed ?? due;
  const admission = await admitCall(workspace, call, { approved: changed === undefined, question: suspended.ticket });
  if (admission.kind === "run") return { call: moveCall(workspace, call, "start"), admission, decision: undefined };
  if (admission.kind === "suspend") await pauseCall(workspace, call, admission.ticket);
  else await finishCall(workspace, call, admission);
  return undefined;
}

async function expire(workspace: ToldRun & BudgetedRun, call: ToolCallRecord): Promise<undefined> {
  const result = toolFailure(call.tool_id, "expired", "The question expired before a decision was made.");
  workspace.emitOnCommit("tool_call_cancelled", { id: call.call_id, reason: "expired" }, call.step_id);
  await endUnrun(workspace, call, { result, trigger: "cancel", outcome: "expired", question: call.ticket });
  if (call.tool_id === REVIEW_CALL) endReview(workspace, "the review expired");
}

/** Ends a call that a person, or the lack of one, kept from running. The first version of the loop told no plugin of it. */
async function endUnrun(workspace: ToldRun, call: ToolCallRecord, end: CallEnd): Promise<void> {
  if (workspace.effects.loopVersion === 1) endCall(workspace, call, end.result, end.trigger);
  else await finishCall(workspace, call, end);
}

/**
 * The stored decisions that belong to calls suspended now, and the calls that ran out. Other decisions stay where they are. Decisions that are
 * `known` are answered without a look: then the caller looks again, because others may have come since.
 */
export async function findDecisions(
  workspace: InboxOwner & RunView & CallBook,
  known: readonly Decision[] = [],
): Promise<FoundDecisions> {
  const suspended = workspace.openCalls.filter(({ status }) => status === "suspended");
  if (suspended.length === 0) return { decided: [], expired: [] };
  const found = decidedAmong(suspended, known);
  if (found.length > 0) return { decided: found, expired: [] };
  // Read before the inbox: a question that is over by then takes no decision any more, so none can be missed.
  const { now } = workspace;
  const { decisions } = await readInbox(workspace);
  const decided = decidedAmong(suspended, decisions);
  const isOver = ({ expires_at = Number.POSITIVE_INFINITY }: ToolCallRecord): boolean => expires_at <= now;
  const expired = suspended.filter((call) => isOver(call) && decisionFor(call, decisions) === undefined);
  return { decided, expired };
}

function decidedAmong(suspended: readonly ToolCallRecord[], decisions: readonly Decision[]): readonly DecidedCall[] {
  return suspended.flatMap((call): DecidedCall[] => {
    const decision = decisionFor(call, decisions);
    return decision === undefined ? [] : [[call, decision]];
  });
}

const PASSED_ON = "pass_decision_to_tool";

/** Marks the source of the question as answered. */
function answeredBy({ ticket, answered = [] }: ToolCallRecord): Pick<ToolCallRecord, "answered"> {
  const asker = ticket?.asked_by;
  return asker === undefined || answered.includes(asker) ? {} : { answered: [...answered, asker] };
}

/** Does what a decision says; returns the call when it is to be executed. */
async function decideCall(
  workspace: DecidingRun,
  suspended: ToolCallRecord,
  decision: Decision,
): Promise<RunnableCall | undefined> {
  const { call_id, run_id, tool_id, suspension, step_id } = suspended;
  workspace.consume({ run_id, call_id, suspension });
  if (decision.binding_hash !== undefined && decision.binding_hash !== suspended.binding_hash) {
    return askAgain(workspace, moveCall(workspace, suspended, "decide"), suspended.ticket);
  }
  if (!awaitsRun(suspended))
    workspace.emitOnCommit("tool_call_resumed", { target_id: call_id, result: describeDecision(decision) }, step_id);
  if (isOwnQuestion(suspended)) {
    if (tool_id === REVIEW_CALL) decideReview(workspace, suspended, decision);
    else await decideBudget(workspace, suspended, decision);
    return undefined;
  }
  if (decision.action === "cancel") {
    const reason = decision.reason === undefined ? "" : ` ${decision.reason}`;
    const result = toolFailure(tool_id, "denied", `The call was denied.${reason}`);
    const answered = { result, decision, question: suspended.ticket };
    // Whether it happened was the question: the answer "it did not" makes it a failure, not a call that never was.
    const isCancelled = !isUnknown(suspended.ticket);
    const call = isCancelled ? suspended : moveCall(workspace, suspended, "decide");
    await endUnrun(workspace, call, { ...answered, trigger: isCancelled ? "cancel" : "fail", outcome: "denied" });
    return undefined;
  }
  const decided = moveCall(workspace, suspended, "decide", answeredBy(suspended));
  const mode = suspended.ticket?.resume_mode;
  const changed = withOtherTool(workspace, decided);
  const isMoreThanYes = decision.arguments !== undefined || decision.result !== undefined;
  if (isMoreThanYes && changed !== undefined) return askAgain(workspace, changed, suspended.ticket);
  // A decision that is for the tool to read is given to it whole; any other with a result is the result.
  const isResult = mode === "use_decision_as_tool_result" || (decision.result !== undefined && mode !== PASSED_ON);
  if (isResult) {
    await finishCall(workspace, decided, { result: toolSuccess(tool_id, decision.result ?? null), trigger: "succeed" });
    return undefined;
  }
  return admitDecided(workspace, decided, decision, suspended.ticket);
}

/** A call as one of the tool that is there now; undefined when that is the tool it was asked about, or when it is gone. */
function withOtherTool(workspace: Pick<AgentView, "versionOf">, call: ToolCallRecord): ToolCallRecord | undefined {
  const tool_version = workspace.versionOf(call.tool_id);
  return tool_version === "" || tool_version === call.tool_version ? undefined : { ...call, tool_version };
}

/**
 * Takes a decided call through the gates again, now approved, and notes it as running. A tool that is no longer the one that
 * was approved is asked about anew.
 */
async function admitDecided(
  workspace: DecidingRun,
  decided: ToolCallRecord,
  decision: Decision,
  ticket: SuspendTicket | undefined,
): Promise<RunnableCall | undefined> {
  const call = decision.arguments === undefined ? decided : editCall(workspace, decided, decision.arguments);
  const isCounted = isUnknown(ticket) && workspace.effects.loopVersion >= 5;
  const admission = await admitCall(workspace, call, { approved: true, decision, question: ticket, isCounted });
  if (admission.kind === "end" && admission.by === "gate") {
    // It cannot be run again, and what the first execution did is still the question.
    if (isUnknown(ticket)) return askAgain(workspace, withOtherTool(workspace, decided) ?? decided, ticket);
    if (isBadEdit(decision, admission.result)) return askAgain(workspace, decided, refusing(ticket, admission.result));
    await finishCall(workspace, call, { ...admission, result: incompatible(call, decision, admission.result) });
    return undefined;
  }
  const changed = withOtherTool(workspace, decided);
  if (changed !== undefined) return askAgain(workspace, changed, ticket);
  if (admission.kind === "suspend") {
    await pauseCall(workspace, call, admission.ticket);
    return undefined;
  }
  if (admission.kind === "end") {
    await finishCall(workspace, call, admission);
    return undefined;
  }
  return { call: moveCall(workspace, call, "start"), admission, decision };
}

/** A call with other arguments: whatever was wrong with the model's is not wrong with these. */
function editCall(
  { services, claim }: Pick<RunView, "claim"> & Host,
  call: ToolCallRecord,
  given: Json,
): ToolCallRecord {
  const { problem: _, ...asked } = call;
  const edited = { ...asked, arguments: given };
  return { ...edited, binding_hash: bindingHash(services.env, claim.tenant, edited) };
}

/** Edited arguments that the tool does not accept, from a process without the tool. */
function isBadEdit(decision: Decision, result: ToolResult): boolean {
  return decision.arguments !== undefined && codeOf(result) === "invalid_arguments";
}

const REFUSED = "\nThe edited arguments were refused: ";

/** The question again, with what is wrong with the last answer. */
function refusing(ticket: SuspendTicket | undefined, { message }: ToolResult): SuspendTicket | undefined {
  if (ticket === undefined) return undefined;
  const [asked = ""] = (ticket.suspension.message ?? "").split(REFUSED);
  return { ...ticket, suspension: { ...ticket.suspension, message: `${asked}${REFUSED}${message ?? ""}`.trim() } };
}

function isUnknown(ticket: SuspendTicket | undefined): boolean {
  return ticket?.suspension.action === "unknown_outcome";
}

/** Suspends a call once more: what was decided was about something else. */
export async function askAgain(
  workspace: ToldRun,
  call: ToolCallRecord,
  ticket: SuspendTicket | undefined,
): Promise<undefined> {
  if (ticket === undefined) return undefined;
  const again = { ...ticket, suspension: { ...ticket.suspension, id: nextSuspensionId(call) } };
  await pauseCall(workspace, call, again);
  return undefined;
}

/** A tool that is gone, or no longer takes what it was asked with, changed under a waiting call. */
function incompatible(call: ToolCallRecord, decision: Decision, result: ToolResult): ToolResult {
  if (decision.arguments !== undefined || codeOf(result) === "blocked") return result;
  const message = `Tool ${call.tool_id} changed since the call was suspended: ${result.message ?? ""}`;
  return toolFailure(call.tool_id, "incompatible_definition", message);
}

function codeOf({ data }: ToolResult): Json | undefined {
  return getAt(data, ["error", "code"]);
}

/** A decision as readers of the run hear of it. */
export function describeDecision({ action, arguments: edited, result, reason, remember }: Decision): Json {
  return {
    action,
    ...(edited !== undefined && { arguments: edited }),
    ...(result !== undefined && { result }),
    ...(reason !== undefined && { reason }),
    ...(remember !== undefined && { remember }),
  };
}
