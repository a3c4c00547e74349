import { RepriseError } from "@reprise/contracts";

/** A run that cannot be replayed, with what is missing. Never an answer that might be wrong. */
export function replayImpossible(runId: string, reason: string, cause?: unknown): RepriseError {
  return new RepriseError("REPLAY_IMPOSSIBLE", `Run ${runId} cannot be replayed: ${reason}.`, {
    details: { run_id: runId },
    ...(cause !== undefined && { cause }),
  });
}
