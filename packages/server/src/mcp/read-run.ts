import {
  type AgentEvent,
  type EventCursor,
  type EventLineage,
  formatCursor,
  parseCursor,
  type RunRecord,
} from "@reprise/contracts";
import {
  advanceMcpRun,
  encodeTask,
  INITIAL_MCP_STATE,
  type McpRunState,
  type McpTool,
  type TaskRun,
} from "@reprise/protocols/mcp";
import type { RunHandle, TenantRuntime } from "@reprise/runtime";
import type { JsonObject } from "@reprise/state";
import { findRecord, findRun } from "../wire/find-record.ts";
import { listBelow } from "../wire/runs-below.ts";
import { canAsk, type McpCaller } from "./mcp-caller.ts";

/** A run as it stands, and the cursor behind what was read. */
export interface ReadRun {
  readonly run: RunHandle;
  readonly agentId: string;
  /** The tool of a run that is one call by hand. */
  readonly toolId?: string;
  readonly task: TaskRun;
  readonly cursor?: string;
}

/** Reads a run of the tenant; undefined when there is none. A run that is still queued has said nothing. */
export async function readRun(runtime: TenantRuntime, runId: string): Promise<ReadRun | undefined> {
  const run = await findRun(runtime, runId);
  if (run === undefined) return undefined;
  const record = await findRecord(run);
  if (record === undefined) return readQueued(runtime, run);
  const { state, cursor } = await readTree(runtime, record);
  const { status, created_at: createdAt, updated_at: updatedAt, agent_id: agentId } = record;
  const toolId = record.policy?.by_hand?.tool_id;
  return {
    run,
    agentId,
    ...(toolId !== undefined && { toolId }),
    task: { id: run.id, thread_id: run.threadId, createdAt, updatedAt, status, state },
    ...(cursor !== undefined && { cursor }),
  };
}

interface ReadState {
  readonly state: McpRunState;
  /** The runs below that were started, in their order. */
  readonly started: readonly string[];
  readonly cursor?: string;
}

/** What is committed of a run and of the runs below it: their questions are the run's. */
async function readTree(runtime: TenantRuntime, record: RunRecord): Promise<ReadState> {
  const own = await readState(await runtime.run(record.run_id), record.last_seq, INITIAL_MCP_STATE);
  const at = own.cursor === undefined ? undefined : parseCursor(own.cursor);
  if (at === undefined || record.has_children !== true) return own;
  let { state } = own;
  const started = [...own.started];
  const read = new Map<string, EventCursor>();
  const ended = new Set<string>();
  for (const below of await listBelow(runtime, record)) {
    const { run_id, parent_run_id = "", parent_call_id: call_id = "", agent_id, depth = 1 } = below;
    const lineage = { parent_run_id, call_id, agent_id, depth };
    const next = await readState(await runtime.run(run_id), below.last_seq, state, lineage);
    state = next.state;
    started.push(...next.started);
    if (below.status === "done") ended.add(run_id);
    const cursor = next.cursor === undefined ? undefined : parseCursor(next.cursor);
    if (cursor !== undefined) read.set(run_id, cursor);
  }
  // Also those that have not begun. Readers forget the ones that are over.
  const open = started.filter((run_id) => !ended.has(run_id));
  const below = open.map((run_id) => read.get(run_id) ?? { run_id, epoch: 0, seq: 0 });
  return { state, started, cursor: formatCursor({ ...at, ...(below.length > 0 && { below }) }) };
}

/** Takes the events of a run in, up to a position. */
async function readState(
  run: RunHandle,
  lastSeq: number,
  before: McpRunState,
  lineage?: EventLineage,
): Promise<ReadState> {
  let state = before;
  let last: string | undefined;
  const started: string[] = [];
  if (lastSeq === 0) return { state, started };
  // Not to its end, which may be far: up to what is committed now.
  for await (const { event, cursor } of run.eventsWithCursor({ follow: true })) {
    // The same event with one more field.
    state = advanceMcpRun(state, lineage === undefined ? event : ({ ...event, lineage } as AgentEvent));
    if (event.type === "child_run_start") started.push(event.data.child_run_id);
    last = cursor;
    if ((event.seq ?? 0) >= lastSeq) break;
  }
  return { state, started, ...(last !== undefined && { cursor: last }) };
}

async function readQueued(runtime: TenantRuntime, run: RunHandle): Promise<ReadRun | undefined> {
  const { items } = await runtime.mailbox.list({ runId: run.id });
  const entry = items.find(({ kind }) => kind === "run");
  if (entry === undefined) return undefined;
  const { available_at: createdAt, status, request, agent_id: agentId } = entry;
  const toolId = request?.policy?.by_hand?.tool_id;
  const isOver = status === "cancelled" || status === "superseded" || status === "dead_letter";
  const end = { termination: { type: "cancelled" } } as const;
  const state: McpRunState = isOver ? { ...INITIAL_MCP_STATE, end } : INITIAL_MCP_STATE;
  const task = { id: run.id, thread_id: run.threadId, createdAt, updatedAt: createdAt, state };
  return {
    run,
    agentId,
    ...(toolId !== undefined && { toolId }),
    task: isOver ? { ...task, status: "done" } : task,
  };
}

/** Whether a run is of a call of a tool. */
export function isRunOf({ agentId, toolId }: ReadRun, tool: McpTool): boolean {
  return agentId === tool.agentId && (tool.kind === "tool" ? toolId === tool.descriptor.id : toolId === undefined);
}

/** A run as a task that its client may look at. */
export function taskOf(caller: McpCaller, { task }: ReadRun): JsonObject {
  return encodeTask(task, caller.era, canAsk(caller));
}
