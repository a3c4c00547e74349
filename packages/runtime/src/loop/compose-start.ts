import {
  type AgentEvent,
  blobRefOf,
  type Changeset,
  emptyChangeset,
  type Message,
  type RunRecord,
  type RunRequest,
  type ToolCallRecord,
  toolFailure,
} from "@reprise/contracts";
import { diff, getAt, type Op, ops, TOOL_CALL_SCOPE, type TrackedPatch } from "@reprise/state";
import { sharedLimits } from "../budget/find-budget.ts";
import { LOOP_VERSION } from "../effects/port.ts";
import type { Restore } from "../thread/find-restore.ts";
import type { LoadedThread } from "../thread/loaded-thread.ts";
import { clearRunOps, frontendOps, inheritedOps, runStateOps } from "../thread/run-state.ts";
import { toolMessage } from "../thread/tool-message.ts";
import { composeClosing } from "./compose-closing.ts";
import { newMessages } from "./new-messages.ts";

export interface StartOptions {
  readonly request: RunRequest;
  readonly run_id: string;
  readonly entry_id: string;
  readonly thread: LoadedThread;
  readonly now: number;
  /** The waiting run this one takes the place of, with its open calls. */
  readonly closing?: { readonly run: RunRecord; readonly calls: readonly ToolCallRecord[] };
  /** What the thread goes back to first. */
  readonly restore?: Restore;
}

/**
 * The first changeset of a run: what is cleared, what is closed, what was said. Pure, so that an idle thread can be given
 * it together with the claim.
 */
export function composeStart(options: StartOptions): Changeset {
  const { request, thread, now, restore } = options;
  const run = startRecord(options);
  const closing = options.closing === undefined ? undefined : composeClosing(options.closing, run.run_id, now);
  const supersedes = restore === undefined ? [] : (restore.supersedes ?? messagesOf(thread, restore.run_id));
  const withdrawn = new Set(supersedes);
  const closed = closing?.messages ?? [];
  const messages = [
    ...closed,
    ...repairDangling(thread, run.run_id, closed, withdrawn),
    ...newMessages(request.messages, { runId: run.run_id, sentFor: run.run_id, thread, withdrawn }),
  ];
  return {
    ...emptyChangeset(run.thread_id, run.run_id, `${run.run_id}-start`),
    reasons: restore === undefined ? ["user_message"] : ["rollback", "user_message"],
    messages,
    supersedes,
    patches: startPatches(options, run),
    runs: closing === undefined ? [run] : [closing.run, run],
    calls: closing?.calls ?? [],
    events: [...(closing?.events ?? []), runStart(run, now)],
    mailbox_effects: [{ entry_id: options.entry_id, status: "accepted" }],
    blob_refs: blobsIn(messages),
    effects: [{ kind: "start", of: run.run_id, attempt: 1, at: now, value: { loop_version: LOOP_VERSION } }],
  };
}

function startRecord({ request, run_id, entry_id, thread, now, closing, restore }: StartOptions): RunRecord {
  const parent = request.parent_run_id ?? closing?.run.run_id;
  // The thread's wins: a request cannot move a run of one user's thread to another user's resource.
  const resource = thread.resourceId ?? request.resource_id;
  return {
    run_id,
    thread_id: thread.thread_id,
    agent_id: request.agent_id,
    ...(parent !== undefined && { parent_run_id: parent }),
    ...(request.parent_call_id !== undefined && { parent_call_id: request.parent_call_id }),
    ...(request.background === true && { background: true }),
    ...(request.parent_thread_id !== undefined && { parent_thread_id: request.parent_thread_id }),
    ...(resource !== undefined && { resource_id: resource }),
    origin: request.origin ?? "user",
    status: "running",
    source_mailbox_entry_id: entry_id,
    input_tokens: 0,
    output_tokens: 0,
    steps: 0,
    // Undoing this run must not bring back what it undid itself.
    base_version: restore?.base_version ?? thread.version,
    last_seq: 1,
    recoveries: 0,
    ...(request.policy !== undefined && { policy: request.policy }),
    ...(request.overrides !== undefined && { overrides: request.overrides }),
    ...sharedLimits(request),
    ...(request.depth !== undefined && { depth: request.depth }),
    ...(request.root_run_id !== undefined && { root_run_id: request.root_run_id }),
    ...(request.heeds !== undefined && { heeds: request.heeds }),
    ...(request.traceparent !== undefined && { traceparent: request.traceparent }),
    ...(request.tracestate !== undefined && { tracestate: request.tracestate }),
    created_at: now,
    updated_at: now,
    ...(request.metadata !== undefined && { metadata: request.metadata }),
  };
}

function startPatches({ request, thread, now, restore }: StartOptions, run: RunRecord): readonly TrackedPatch[] {
  const restored: readonly Op[] = restore === undefined ? [] : diff(thread.document, restore.state);
  const cleared = clearRunOps(restore?.state ?? thread.document);
  // Every call is over when a run starts, also those of a state that is being restored.
  const hasCalls = getAt(restore?.state ?? thread.document, [TOOL_CALL_SCOPE]) !== undefined;
  const closedCalls = hasCalls ? [ops.delete([TOOL_CALL_SCOPE])] : [];
  const before = restore?.state ?? thread.document;
  const removed = (request.removed_state ?? []).filter((key) => getAt(before, [key]) !== undefined);
  const asked = [
    ...removed.map((key) => ops.delete([key])),
    ...Object.entries(request.state ?? {}).map(([key, value]) => ops.set([key], value)),
  ];
  const changes: readonly [source: string, ops: readonly Op[]][] = [
    [
      "runtime",
      [...restored, ...closedCalls, ...cleared, ...runStateOps(run), ...frontendOps(request), ...inheritedOps(request)],
    ],
    ["request", asked],
  ];
  return changes
    .filter(([, list]) => list.length > 0)
    .map(([source, list], index) => ({ id: `${run.run_id}-start-p${index}`, source, ops: list, timestamp_ms: now }));
}

/** Calls that never got a result would confuse every model after them: they are answered now. */
function repairDangling(
  thread: LoadedThread,
  runId: string,
  closed: readonly Message[],
  withdrawn: ReadonlySet<string>,
): readonly Message[] {
  if (thread.unanswered.size === 0) return [];
  const answered = new Set([...closed.map(({ tool_call_id }) => tool_call_id), ...callsOf(thread, withdrawn)]);
  return [...thread.unanswered]
    .filter(([callId]) => !answered.has(callId))
    .map(([callId, tool]) => {
      const text = "[Tool execution was interrupted before producing a result.]";
      return toolMessage(callId, runId, toolFailure(tool, "interrupted", text));
    });
}

function messagesOf(thread: LoadedThread, runId: string): readonly string[] {
  return thread.messages.filter(({ metadata }) => metadata?.run_id === runId).map(({ id }) => id);
}

/** Calls of messages that are withdrawn need no result any more. */
function callsOf(thread: LoadedThread, withdrawn: ReadonlySet<string>): readonly string[] {
  if (withdrawn.size === 0) return [];
  const asking = thread.messages.filter(({ id }) => withdrawn.has(id));
  return asking.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
}

/** The blobs that messages name. They are kept while the thread exists. */
function blobsIn(messages: readonly Message[]): readonly string[] {
  const refs = messages
    .flatMap(({ content }) => (typeof content === "string" ? [] : content))
    .flatMap((part) => {
      const ref = part.type === "image" || part.type === "file" ? blobRefOf(part.url) : "";
      return ref.startsWith("blob:") ? [ref] : [];
    });
  return refs.length === 0 ? refs : [...new Set(refs)];
}

function runStart(run: RunRecord, now: number): AgentEvent {
  const { run_id, thread_id, parent_run_id } = run;
  const data = parent_run_id === undefined ? {} : { parent_run_id };
  return { type: "run_start", run_id, thread_id, seq: 1, timestamp_ms: now, data };
}
