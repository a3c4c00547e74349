import type {
  LoggedAction,
  MessageInput,
  RunObserver,
  ToolCallRecord,
  ToolProgress,
  ToolResult,
  ToolWork,
  WorkObserver,
} from "@reprise/contracts";
import type { Json, Op } from "@reprise/state";
import { decodeFailure } from "../effects/failure.ts";
import { watchAnswer } from "../effects/observers.ts";
import type { Recorded } from "../effects/port.ts";
import { freezeDeep } from "../json/freeze-deep.ts";
import type { EventSink, Outside, RunView, StartedRun } from "../run/ports.ts";
import type { RecordedExecution } from "../run/recorded-world.ts";
import { CallState } from "./call-state.ts";
import { type ExecutedCall, type ExecutingRun, type Execution, executeCall } from "./execute-call.ts";
import type { AskedHandoff, PluginRequest } from "./read-effect.ts";

/** The parts of a run that executing a call touches. */
export interface PerformingRun extends ExecutingRun, Outside, Pick<EventSink, "emit"> {
  /** Throws when the claim may have run out: asked before anything that cannot be undone. */
  readonly assertHeld: () => void;
  /** Frees the run's slot while a call waits for runs below it; returns the way to take it back. */
  readonly lendSlot: () => () => void;
}

/** An execution as it is stored. */
interface StoredExecution {
  readonly result: ToolResult;
  readonly terminate?: string;
  readonly handoff?: AskedHandoff;
  readonly ops?: readonly Op[];
  readonly actions?: readonly LoggedAction[];
  readonly messages?: readonly MessageInput[];
  readonly requests?: readonly PluginRequest[];
  readonly run_scoped?: readonly string[];
  readonly blobs?: readonly string[];
  readonly children?: readonly string[];
  readonly recorded?: readonly Recorded[];
}

/** Executes a call. Its progress is shown, and its result comes back, when their turn has come. */
export function performCall(workspace: PerformingRun, execution: Execution): Promise<ExecutedCall> {
  const { call, document, tool } = execution;
  const { services, effects } = workspace;
  const report = (told: Json): void => reportBy(workspace, call, told as unknown as ToolProgress | StartedRun);
  const decode = (stored: Json | undefined): ExecutedCall => decodeExecution(execution, document, stored);
  const watch = (observer: RunObserver): WorkObserver<ExecutedCall> | undefined =>
    watchAnswer(observer.tool?.(describeWork(execution)), ({ result }) => result);
  return effects.report({ kind: "execute", of: call.call_id, encode, decode, report, watch }, async (progress) => {
    const point = services.env.point("tool:before");
    if (point !== undefined) await point;
    workspace.assertHeld();
    const recorded = services.recordedWorld?.execution(call, tool.descriptor);
    if (recorded !== undefined) return recall(recorded, decode, workspace.signal);
    const takeBack = tool.descriptor.is_recursive ? workspace.lendSlot() : undefined;
    try {
      return await executeCall(workspace, execution, progress);
    } finally {
      takeBack?.();
    }
  });
}

/** A recorded execution ends as it did, and shows no progress. */
function recall(
  recorded: RecordedExecution,
  decode: (stored: Json) => ExecutedCall,
  { reason }: AbortSignal,
): ExecutedCall {
  if ("failed" in recorded) throw decodeFailure(recorded.failed, reason);
  return decode(recorded.value);
}

function describeWork({ call, tool }: Execution): ToolWork {
  const { call_id, step_id, arguments: given, suspension } = call;
  return { callId: call_id, stepId: step_id, tool: tool.descriptor, arguments: freezeDeep(given), suspension };
}

function encode(executed: ExecutedCall): Json {
  const { result, terminate, handoff, state, messages, requests, blobs, children, recordings } = executed;
  const { ops, actions, runScoped } = state;
  const stored: StoredExecution = {
    result,
    ...(terminate !== undefined && { terminate }),
    ...(handoff !== undefined && { handoff }),
    ...(ops.length > 0 && { ops }),
    ...(actions.length > 0 && { actions }),
    ...(messages.length > 0 && { messages }),
    ...(requests.length > 0 && { requests }),
    ...(runScoped.size > 0 && { run_scoped: [...runScoped] }),
    ...(blobs.length > 0 && { blobs }),
    ...(children.length > 0 && { children }),
    ...(recordings.length > 0 && { recorded: recordings }),
  };
  // Everything a tool gives was found to be JSON.
  return stored as unknown as Json;
}

function decodeExecution({ call }: Execution, document: Json, value: Json | undefined): ExecutedCall {
  // Written by `encode`.
  const stored = (value ?? {}) as unknown as StoredExecution;
  const state = new CallState(document, call.call_id, `tool:${call.tool_id}`);
  state.ops.push(...(stored.ops ?? []));
  state.actions.push(...(stored.actions ?? []));
  for (const name of stored.run_scoped ?? []) state.runScoped.add(name);
  const { result, terminate, handoff, messages = [], requests = [], blobs = [], children = [] } = stored;
  return {
    state,
    messages: [...messages],
    requests: [...requests],
    recordings: [],
    blobs: [...blobs],
    children: [...children],
    result,
    ...(terminate !== undefined && { terminate }),
    ...(handoff !== undefined && { handoff }),
  };
}

/** Shows what an execution tells while it lasts: how far it is, by the tool's `progress`, or the run that it started. */
export function reportBy(
  workspace: Pick<RunView, "run" | "now"> & Pick<EventSink, "emit">,
  call: ToolCallRecord,
  told: ToolProgress | StartedRun,
): void {
  if (!("runId" in told)) return reportProgress(workspace, call, told);
  const { runId, threadId, agentId, depth, background, limits } = told;
  const child = {
    id: call.call_id,
    child_run_id: runId,
    child_thread_id: threadId,
    agent_id: agentId,
    depth,
    ...(background && { background }),
    ...(limits !== undefined && { limits }),
  };
  workspace.emit("child_run_start", child, call.step_id);
}

/** Shows how far a call is, as an activity of the canonical shape `tool-call-progress.v1`; with the run it waits for, if it does. */
export function reportProgress(
  workspace: Pick<RunView, "run" | "now"> & Pick<EventSink, "emit">,
  call: ToolCallRecord,
  progress: ToolProgress,
  childRunId?: string,
): void {
  const { run } = workspace;
  const node = `tool_call:${call.call_id}`;
  const content: Record<string, Json> = {
    type: "tool-call-progress",
    schema: "tool-call-progress.v1",
    node_id: node,
    ...(run.parent_call_id !== undefined && {
      parent_node_id: `tool_call:${run.parent_call_id}`,
      parent_call_id: run.parent_call_id,
    }),
    call_id: call.call_id,
    tool_name: call.tool_id,
    status: "running",
    ...(progress.progress !== undefined && { progress: progress.progress }),
    ...(progress.total !== undefined && { total: progress.total }),
    ...(progress.message !== undefined && { message: progress.message }),
    ...(childRunId !== undefined && { child_run_id: childRunId }),
    run_id: run.run_id,
    ...(run.parent_run_id !== undefined && { parent_run_id: run.parent_run_id }),
    thread_id: run.thread_id,
    updated_at_ms: workspace.now,
  };
  workspace.emit("activity_snapshot", { message_id: node, activity_type: "tool-call-progress", content }, call.step_id);
}
