import type { Services } from "../loop/services.ts";
import { loadRecording, openRecording, requireDone, writeRecording } from "./load-recording.ts";
import type { RunRecording } from "./recording.ts";
import { type ReplayMode, type ReplayResult, replayRecording } from "./replay-recording.ts";

/** Everything a replay of a run needs, as one value that can be written to a file. */
export async function exportRun(services: Services, tenant: string, runId: string): Promise<RunRecording> {
  return loadRecording(services, tenant, await requireDone(services.store.forTenant(tenant), runId));
}

/** The same as JSON text, in pieces: the run is never held whole. Resolves when the run is known to be there. */
export async function exportRunText(
  services: Services,
  tenant: string,
  runId: string,
): Promise<AsyncGenerator<string, undefined>> {
  const run = await requireDone(services.store.forTenant(tenant), runId);
  return writeRecording(await openRecording(services, tenant, run));
}

/**
 * Runs a finished run again from what is stored of it, and says whether it comes to the same. A verification gets nothing of what is
 * deployed, so nothing of it can matter.
 */
export async function replayRun(
  services: Services,
  tenant: string,
  runId: string,
  mode: ReplayMode,
): Promise<ReplayResult> {
  const recording = await exportRun(services, tenant, runId);
  const { env, agents, tokens, limits } = services;
  if (mode === "verify") return replayRecording(recording, { env, mode, program: (kind) => agents.program(kind) });
  return replayRecording(recording, { env, mode, agents, services: { tokens, limits } });
}
