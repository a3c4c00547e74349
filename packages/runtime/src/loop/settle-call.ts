import {
  type AfterToolOutcome,
  advanceToolCall,
  continuesByItself,
  type Decision,
  isOwnQuestion,
  type MessageInput,
  outcomeOf,
  type SuspendTicket,
  type ToolCallOutcome,
  type ToolCallRecord,
  type ToolCallTrigger,
  type ToolResult,
  toolFailure,
  toolPending,
} from "@reprise/contracts";
import { type Op, type TrackedPatch, toJsonPatch } from "@reprise/state";
import { applyCommon } from "../phases/apply-actions.ts";
import { viewCall } from "../phases/phase-view.ts";
import { type PhaseFacts, type PhaseRun, runPhase } from "../phases/run-phase.ts";
import { bindingHash } from "../resolve/tool-version.ts";
import type {
  CallBook,
  Conversation,
  EventSink,
  Host,
  Outside,
  RoundNotes,
  RunView,
  StateAccess,
} from "../run/ports.ts";
import { resultIdOf } from "../thread/derived-ids.ts";
import { frameText } from "../thread/frame-text.ts";
import { toolMessage } from "../thread/tool-message.ts";
import type { ExecutedCall } from "../tools/execute-call.ts";
import { reportProgress } from "../tools/perform-call.ts";
import { askForHandoff } from "./hand-off.ts";

/** The parts of a run that the end or the suspension of a call changes. */
export type SettlingRun = RunView &
  Pick<CallBook, "setCall"> &
  Pick<Conversation, "addMessage"> &
  StateAccess &
  EventSink &
  Host &
  Outside;

/** The same, with the plugins that hear of it. */
export type ToldRun = SettlingRun & PhaseRun & RoundNotes;

/** Moves a call along its lifecycle and notes it for the next commit, which also writes it into the thread's state. */
export function moveCall(
  workspace: Pick<RunView, "now"> & Pick<CallBook, "setCall">,
  call: ToolCallRecord,
  trigger: ToolCallTrigger,
  change: Partial<ToolCallRecord> = {},
): ToolCallRecord {
  const { ticket, expires_at, ...advanced } = {
    ...advanceToolCall(call, trigger),
    ...change,
    updated_at: workspace.now,
  };
  // A ticket belongs to a call that waits, and to no other.
  const moved =
    advanced.status === "suspended" && ticket !== undefined
      ? { ...advanced, ticket, ...(expires_at !== undefined && { expires_at }) }
      : advanced;
  workspace.setCall(moved);
  return moved;
}

type EndTrigger = "succeed" | "fail" | "cancel";

/** Ends a call with a result: its message, its row and its event become part of the next commit. */
export function endCall(
  workspace: SettlingRun,
  call: ToolCallRecord,
  result: ToolResult,
  trigger: EndTrigger,
  patchOps: readonly Op[] = [],
): void {
  const { patch, delta } = patchByTool(workspace, call, patchOps);
  const ended = moveCall(workspace, call, trigger);
  // The first version of the loop kept no metadata with the message.
  const said = workspace.effects.loopVersion === 1 ? { ...result, metadata: {} } : result;
  if (!isOwnQuestion(call)) workspace.addMessage(toolMessage(call.call_id, call.run_id, said));
  const outcome: ToolCallOutcome = ended.status === "cancelled" ? "cancelled" : outcomeOf(result);
  const data = { id: call.call_id, result, message_id: resultIdOf(call.call_id), outcome };
  workspace.emitOnCommit("tool_call_done", patch === undefined ? data : { ...data, patch }, call.step_id);
  if (delta !== undefined) workspace.emitOnCommit("state_delta", { delta }, call.step_id);
}

/** Makes a tool's changes the thread's, and says what they are to who keeps a copy of the state. */
function patchByTool(
  workspace: StateAccess,
  call: ToolCallRecord,
  ops: readonly Op[],
): { readonly patch?: TrackedPatch; readonly delta?: ReturnType<typeof toJsonPatch> } {
  const before = workspace.document;
  const patch = workspace.addPatch(`tool:${call.tool_id}`, ops);
  if (patch === undefined) return {};
  // The runtime's own part of the state, a call's scope among it, is no client's business.
  const delta = toJsonPatch(before, patch).filter(({ path }) => !path.startsWith("/__"));
  return delta.length === 0 ? { patch } : { patch, delta };
}

/** The same for a call whose end plugins are to hear of. What the call kept in the state is there until the commit. */
export async function finishCall(
  workspace: ToldRun,
  call: ToolCallRecord,
  { result, trigger, outcome = outcomeOf(result), decision, question }: CallEnd,
  patchOps: readonly Op[] = [],
): Promise<void> {
  endCall(workspace, call, result, trigger, patchOps);
  await tellPlugins(workspace, call, { result, outcome, decision, question }, `${call.call_id}-after`);
}

/** How a call ends. */
export interface CallEnd {
  readonly result: ToolResult;
  readonly trigger: EndTrigger;
  /** What plugins hear; as the result says unless given. */
  readonly outcome?: AfterToolOutcome;
  /** The decision that ended it, and the question it answered. */
  readonly decision?: Decision | undefined;
  readonly question?: SuspendTicket | undefined;
}

/** Suspends a call, and plugins hear of it. */
export async function pauseCall(
  workspace: ToldRun,
  call: ToolCallRecord,
  ticket: SuspendTicket,
  result: ToolResult = toolPending(call.tool_id, ticket),
): Promise<void> {
  suspendCall(workspace, call, ticket, result);
  const key = `${call.call_id}-after-q${call.suspension + 1}`;
  await tellPlugins(workspace, call, { result, outcome: "suspended", decision: undefined, question: undefined }, key);
}

/**
 * When a question is over. A run whose time is over while it waits is woken by that, and ends. One that waits for a run below needs no waking: the
 * time of that run is over as well.
 */
function findExpiry({ run, now }: SettlingRun, { expires_in_ms, run_id }: SuspendTicket): number | undefined {
  const asked = expires_in_ms === undefined ? undefined : now + expires_in_ms;
  const { deadline_at } = run;
  if (deadline_at === undefined || run_id !== undefined) return asked;
  return Math.min(asked ?? deadline_at, deadline_at);
}

/** Suspends a call. Clients hear of it once it is durable. */
export function suspendCall(
  workspace: SettlingRun,
  call: ToolCallRecord,
  ticket: SuspendTicket,
  result: ToolResult,
): void {
  const suspension = call.suspension + 1;
  const binding_hash = bindingHash(workspace.services.env, workspace.claim.tenant, call);
  const expires_at = findExpiry(workspace, ticket);
  const expiry = expires_at === undefined ? {} : { expires_at };
  const { repeatable: _, ...asked } = call;
  const promise = ticket.on_expiry === "execute" ? ({ repeatable: true } as const) : {};
  moveCall(workspace, asked, "suspend", { suspension, ticket, binding_hash, ...expiry, ...promise });
  if (continuesByItself({ ticket })) {
    // For clients the call is still under way: they hear of its end when the run below is over, or the tool is done.
    const { message = "" } = ticket.suspension;
    return reportProgress(workspace, call, { message }, ticket.run_id);
  }
  workspace.emitOnCommit(
    "tool_call_done",
    {
      id: call.call_id,
      result,
      message_id: resultIdOf(call.call_id),
      outcome: "suspended",
      suspended: { ticket, suspension, binding_hash, ...expiry },
    },
    call.step_id,
  );
}

/** Makes an execution part of the run: state changes, queued messages, and the call's end or suspension. */
export async function settleExecution(
  workspace: ToldRun,
  call: ToolCallRecord,
  executed: ExecutedCall,
  changes: readonly Op[],
): Promise<void> {
  const { result, state, messages } = executed;
  workspace.refersTo(executed.blobs);
  if (executed.children.length > 0) workspace.setRun({ has_children: true });
  // A tool that failed changed nothing, whether it threw or said so.
  if (result.status === "error") return finishCall(workspace, call, { result, trigger: "fail" });
  const isOver = result.status !== "pending" || result.suspension === undefined;
  const refusal = executed.handoff === undefined || !isOver ? undefined : askForHandoff(workspace, executed.handoff);
  if (refusal !== undefined) {
    const refused = toolFailure(call.tool_id, refusal.code, refusal.message);
    return finishCall(workspace, call, { result: refused, trigger: "fail" });
  }
  workspace.logActions(state.actions);
  workspace.noteRunScoped(state.runScoped);
  for (const { plugin, value } of executed.requests)
    applyCommon(workspace, { plugin, phase: "after_tool_execute" }, value);
  if (result.status === "pending" && result.suspension !== undefined) {
    const { delta } = patchByTool(workspace, call, changes);
    const paused = pauseCall(workspace, call, result.suspension, result);
    if (delta !== undefined) workspace.emitOnCommit("state_delta", { delta }, call.step_id);
    return paused;
  }
  for (const message of messages) queueMessage(workspace, call, message);
  await finishCall(workspace, call, { result, trigger: "succeed" }, changes);
}

/** The phase after a call: plugins see its result and may add to what the model reads next. */
async function tellPlugins(
  workspace: PhaseRun & RoundNotes,
  call: ToolCallRecord,
  facts: Omit<PhaseFacts<"after_tool_execute">, "call" | "tool">,
  key: string,
): Promise<void> {
  if (isOwnQuestion(call)) return;
  const tool = workspace.agent.tools.get(call.tool_id)?.descriptor;
  const told = runPhase(workspace, "after_tool_execute", { call: viewCall(call), tool, ...facts }, key);
  for (const { plugin, value } of told instanceof Promise ? await told : told) {
    if (value.type === "add_user_message") queueMessage(workspace, call, value.message, plugin);
    if (value.type !== "add_system_reminder") continue;
    const content = frameText("reminder", `plugin:${plugin}`, value.text);
    queueMessage(workspace, call, { role: "user", content, visibility: "internal" }, plugin);
  }
}

/** Text from a tool or a plugin is never the operator's, nor the model's own: it neither asks for calls nor answers one. */
function queueMessage(workspace: RoundNotes, call: ToolCallRecord, message: MessageInput, plugin?: string): void {
  const { tool_calls: _calls, tool_call_id: _answered, ...said } = message;
  const { call_id, suspension } = call;
  // A call that was suspended may have queued some before, under another owner.
  const position = `${suspension === 0 ? "" : `${suspension}-`}${workspace.countQueued(call_id)}`;
  const id = said.id ?? `${call_id}-q${position}`;
  const source = plugin === undefined ? {} : { source: `plugin:${plugin}` };
  const metadata = { ...said.metadata, ...source, run_id: call.run_id };
  workspace.addMessageAfterRound({ ...said, role: "user", id, metadata });
}
