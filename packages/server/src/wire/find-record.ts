import { RepriseError, type RunRecord } from "@reprise/contracts";
import type { RunHandle, TenantRuntime } from "@reprise/runtime";
import type { HttpExchange } from "../host/route.ts";

/** The record of a run; undefined while it is queued, and when it never began. */
export async function findRecord(run: RunHandle): Promise<RunRecord | undefined> {
  try {
    return await run.record();
  } catch (error) {
    if (RepriseError.is(error, "RUN_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** A run by its id; undefined when there is none, not even a queued one. */
export async function findRun(runtime: TenantRuntime, runId: string): Promise<RunHandle | undefined> {
  try {
    return await runtime.run(runId);
  } catch (error) {
    if (RepriseError.is(error, "RUN_NOT_FOUND")) return undefined;
    throw error;
  }
}

/** The run that an earlier try of a request began under its reserved id. */
export async function findBegun({ runtime, reserved }: HttpExchange): Promise<RunHandle | undefined> {
  return reserved?.isRepeat ? findRun(runtime, reserved.run_id) : undefined;
}
