import { notFound, RepriseError, type RunRecord } from "@reprise/contracts";
import type { RunHandle, TenantRuntime } from "@reprise/runtime";
import { getAt, type Json } from "@reprise/state";
import type { WorkflowState } from "@reprise/workflow";
import { findRecord } from "../wire/find-record.ts";
import { listWorkflows } from "./find-workflow.ts";

/** A run of a workflow. One that is queued has neither a record nor a state. */
export interface LoadedWorkflowRun {
  readonly run: RunHandle;
  readonly record?: RunRecord;
  readonly state?: WorkflowState;
}

/** Loads a run and how far its nodes are. `RUN_NOT_FOUND` for a run of anything but a workflow. */
export async function loadWorkflowRun(runtime: TenantRuntime, runId: string): Promise<LoadedWorkflowRun> {
  const run = await runtime.run(runId);
  const record = await findRecord(run);
  const state = record === undefined ? undefined : await readState(runtime, record);
  const agentId = record?.agent_id ?? (await queuedAgent(runtime, runId));
  // A workflow that is no longer served has runs all the same: their state tells.
  const isWorkflow = state !== undefined || listWorkflows(runtime).some(({ info }) => info.id === agentId);
  if (!isWorkflow) throw notFound("RUN_NOT_FOUND", "run", runId);
  return { run, ...(record !== undefined && { record }), ...(state !== undefined && { state }) };
}

async function queuedAgent({ mailbox }: TenantRuntime, runId: string): Promise<string | undefined> {
  const { items } = await mailbox.list({ runId });
  return items.find(({ kind }) => kind === "run")?.request?.agent_id;
}

/** The program's part of the run's state: as it is, or, when the thread has gone on, as it was before the next run began. */
async function readState(runtime: TenantRuntime, record: RunRecord): Promise<WorkflowState | undefined> {
  const own = (document: Json): WorkflowState | undefined =>
    getAt(document, ["__run", "id"]) === record.run_id
      ? // Written by the workflow's program, and no patch from outside reaches it.
        (getAt(document, ["__run", "program"]) as unknown as WorkflowState | undefined)
      : undefined;
  const { thread_id: threadId } = record;
  const current = await runtime.threads.state(threadId);
  if (getAt(current, ["__run", "id"]) === record.run_id) return own(current);
  const next = await findNext(runtime, record);
  if (next === undefined) return undefined;
  try {
    return own(await runtime.threads.state(threadId, { version: next.base_version }));
  } catch (error) {
    // The past was pruned.
    if (RepriseError.is(error, "VERSION_GONE")) return undefined;
    throw error;
  }
}

/** The run that followed on the thread. Lists are newest first, so that it is close to the end of those that came later. */
async function findNext(runtime: TenantRuntime, record: RunRecord): Promise<RunRecord | undefined> {
  const later = { threadId: record.thread_id, createdAtFrom: record.created_at };
  const { total } = await runtime.runs({ ...later, limit: 1 });
  const { items } = await runtime.runs({ ...later, offset: Math.max(total - 50, 0), limit: 50 });
  return items
    .filter(({ run_id, base_version }) => run_id !== record.run_id && base_version > record.base_version)
    .toSorted((one, other) => one.base_version - other.base_version)[0];
}
