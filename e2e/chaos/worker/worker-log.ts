import type { Log } from "@reprise/contracts";

/** How the runtime says that another process has taken a run over. */
const LOSS = /the claim is lost/;

/** Writes warnings and errors to standard error, and tells of runs that were lost while their owner lived. */
export function createWorkerLog(tellLoss: (runId: string) => Promise<void>): Log {
  return (level, message, details = {}) => {
    if (level !== "warn" && level !== "error") return;
    console.error(JSON.stringify({ level, message, ...details }));
    if (LOSS.test(message) && typeof details.run_id === "string") void tellLoss(details.run_id);
  };
}
