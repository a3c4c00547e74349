import {
  type Decision,
  decisionConflict,
  isSameDecision,
  notFound,
  RepriseError,
  runNotActive,
} from "@reprise/contracts";
import { addCancel, addWake, closeEntry } from "./entries.ts";
import type { MemoryPorts } from "./memory-ports.ts";
import { announce } from "./memory-writer.ts";
import { type DecisionSlot, decisionKey, type RunCell, type TenantWorld } from "./tenant-world.ts";
import type { ThreadCell } from "./thread-cell.ts";

/** Stores a decision, once, and wakes its run. */
export function decide(world: TenantWorld, ports: MemoryPorts, decision: Decision, isEarlyAllowed: boolean): Decision {
  const { run_id, call_id, suspension } = decision;
  const run = world.runs.get(run_id);
  if (run === undefined) throw notFound("RUN_NOT_FOUND", "run", run_id);
  const key = decisionKey(call_id, suspension);
  const stored = run.decisions.get(key)?.decision;
  if (stored !== undefined && isSameDecision(stored, decision)) return stored;
  if (run.record.status === "done") throw runNotActive(run_id);
  if (stored !== undefined) throw decisionConflict(stored);

  const wakes = assertDecidable(run, decision, isEarlyAllowed);
  const slot: DecisionSlot = { decision, wake: undefined };
  if (wakes) slot.wake = addWake(run.cell, "resume", { runId: run_id, now: ports.clock.now() });
  run.decisions.set(key, slot);
  run.pending.add(slot);
  announceInbox(run.cell, ports, run_id);
  return decision;
}

/** Whether the call waits for this very decision; throws unless it does or may come before its suspension. */
function assertDecidable(run: RunCell, { call_id, suspension }: Decision, isEarlyAllowed: boolean): boolean {
  const call = run.calls.get(call_id)?.record;
  if (call === undefined && !isEarlyAllowed) throw notFound("CALL_NOT_FOUND", "tool call", call_id);
  if (call?.status === "suspended" && call.suspension === suspension) return true;
  const isOpen = call === undefined || ["new", "running", "resuming"].includes(call.status);
  if (isEarlyAllowed && isOpen && suspension === (call?.suspension ?? 0) + 1) return false;
  throw new RepriseError(
    "NOT_SUSPENDED",
    `Tool call ${call_id} does not wait for a decision on suspension ${suspension}.`,
    {
      details: { call_id, suspension, status: call?.status ?? "unknown" },
    },
  );
}

/** Asks for the end of a run. One that is still queued ends at once; one that is open is left to its owner. */
export function requestCancel(world: TenantWorld, ports: MemoryPorts, runId: string, reason: string): void {
  const now = ports.clock.now();
  const run = world.runs.get(runId);
  if (run?.record.status === "done") throw runNotActive(runId);
  const slot = world.entriesByRun.get(runId);
  const cell = run?.cell ?? world.threads.get(slot?.entry.thread_id ?? "");
  if (cell === undefined) throw notFound("RUN_NOT_FOUND", "run", runId);
  if (run !== undefined || slot?.entry.status === "claimed") addCancel(cell, runId, reason, now);
  else if (slot?.entry.status === "queued") closeEntry(cell, slot, "cancelled", { reason, now });
  else if (slot?.entry.status !== "cancelled") throw runNotActive(runId);
  announceInbox(cell, ports, runId);
}

function announceInbox(cell: ThreadCell, ports: MemoryPorts, runId: string): void {
  announce(cell, ports, "inbox", runId);
  if (cell.lane === "resume") announce(cell, ports, "work");
}
