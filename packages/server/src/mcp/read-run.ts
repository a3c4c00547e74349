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
  const { state, cursor } = await readState(run, record.last_seq);
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

async function readState(
  run: RunHandle,
  lastSeq: number,
): Promise<{ readonly state: McpRunState; readonly cursor?: string }> {
  let state = INITIAL_MCP_STATE;
  let last: string | undefined;
  if (lastSeq === 0) return { state };
  // Not to its end, which may be far: up to what is committed now.
  for await (const { event, cursor } of run.eventsWithCursor({ follow: true })) {
    state = advanceMcpRun(state, event);
    last = cursor;
    if ((event.seq ?? 0) >= lastSeq) break;
  }
  return { state, ...(last !== undefined && { cursor: last }) };
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
