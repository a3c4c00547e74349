import { RepriseError, type RunRecord } from "@reprise/contracts";
import type { RunHandle } from "@reprise/runtime";

/** The record of a run; undefined while it is queued, and when it never began. */
export async function findRecord(run: RunHandle): Promise<RunRecord | undefined> {
  try {
    return await run.record();
  } catch (error) {
    if (RepriseError.is(error, "RUN_NOT_FOUND")) return undefined;
    throw error;
  }
}
