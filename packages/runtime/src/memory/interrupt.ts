import type { Interrupted } from "@reprise/contracts";
import { addCancel, closeEntry } from "./entries.ts";
import type { ThreadCell } from "./thread-cell.ts";

/** Begins a new generation: drops what is queued and asks the open run to end. */
export function beginGeneration(cell: ThreadCell, reason: string, now: number): Interrupted {
  cell.generation += 1;
  const queued = [...cell.mailbox.runs];
  for (const slot of queued) closeEntry(cell, slot, "superseded", { reason, now });
  // An entry that was claimed a moment ago is about to be the open run.
  const starting = [...cell.mailbox.claimed].find(({ entry }) => entry.kind === "run")?.entry.run_id;
  for (const runId of [cell.openRunId, starting]) if (runId !== undefined) addCancel(cell, runId, reason, now);
  const runId = cell.openRunId ?? starting;
  const superseded = queued.map(({ entry }) => entry);
  return { generation: cell.generation, superseded, ...(runId === undefined ? {} : { run_id: runId }) };
}
