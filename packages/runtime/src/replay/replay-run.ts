import type { Services } from "../services.ts";
import { loadRecording, requireDone } from "./load-recording.ts";
import type { RunRecording } from "./recording.ts";
import { replayImpossible } from "./replay-errors.ts";
import { type ReplayMode, type ReplayResult, replayRecording } from "./replay-recording.ts";

/** Everything a replay of a run needs, as one value that can be written to a file. */
export async function exportRun(services: Services, tenant: string, runId: string): Promise<RunRecording> {
  const store = services.store.forTenant(tenant);
  const run = await requireDone(store, runId);
  const plan = services.agents.plan(run.agent_id);
  if (plan.kind === "backend") throw replayImpossible(runId, "it was executed elsewhere");
  return loadRecording(store, tenant, run, plan.agent);
}

/** Runs a finished run again from what is stored of it, and says whether it comes to the same. */
export async function replayRun(
  services: Services,
  tenant: string,
  runId: string,
  mode: ReplayMode,
): Promise<ReplayResult> {
  const recording = await exportRun(services, tenant, runId);
  const { env, blobs, agents } = services;
  return replayRecording(recording, { env, blobs, agents, mode, services });
}
