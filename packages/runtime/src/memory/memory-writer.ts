import { assertId, type StoreSignal, type ThreadWriter } from "@reprise/contracts";
import { applyChangeset } from "./apply-changeset.ts";
import { assertChangeset, assertGuard } from "./check-changeset.ts";
import type { MemoryPorts } from "./memory-ports.ts";
import { keepSnapshot } from "./snapshots.ts";
import { requireThread, type TenantWorld } from "./tenant-world.ts";
import type { ThreadCell } from "./thread-cell.ts";

/** The writes of a run's owner. Everything is checked before the first change, so that a refusal changes nothing. */
export function createMemoryWriter(world: TenantWorld, ports: MemoryPorts): ThreadWriter {
  return {
    async commit(changeset, guard) {
      assertId("changeset", changeset.changeset_id);
      const cell = requireThread(world, changeset.thread_id);
      const known = cell.versions.get(changeset.changeset_id);
      if (known !== undefined) return { version: known };
      assertGuard(cell, changeset, guard);
      assertChangeset(cell, changeset);
      const now = ports.clock.now();
      const version = applyChangeset(cell, changeset, { epoch: guard.epoch, now });
      announceCommit(cell, ports, changeset.run_id);
      return { version };
    },
    async readInbox(threadId, runId) {
      const cell = world.threads.get(threadId);
      const run = world.runs.get(runId);
      const decisions = run !== undefined && run.cell === cell ? [...run.pending] : [];
      const cancel = cell?.mailbox.findCancel(runId);
      const steering = cell?.mailbox.steering ?? [];
      return {
        decisions: decisions.map(({ decision }) => decision),
        ...(steering.length === 0 ? {} : { steering }),
        ...(cancel === undefined ? {} : { cancel: { entry_id: cancel.entry_id, reason: cancel.reason ?? "" } }),
      };
    },
    async saveSnapshot(threadId, snapshot) {
      const cell = world.threads.get(threadId);
      if (cell !== undefined) keepSnapshot(cell, snapshot);
    },
  };
}

/** Files the thread anew among the work and tells who watches. */
export function announceCommit(cell: ThreadCell, ports: MemoryPorts, runId: string | null): void {
  announce(cell, ports, "commit", runId ?? undefined);
  if (cell.lane !== undefined && cell.lane !== "claimed") announce(cell, ports, "work");
}

/** As `announceCommit`, for any other change. */
export function announce(cell: ThreadCell, ports: MemoryPorts, kind: StoreSignal["kind"], runId?: string): void {
  ports.work.refresh(cell, ports.clock.now());
  const run = runId === undefined ? {} : { run_id: runId };
  ports.signals.emit({ tenant: cell.world.tenant, thread_id: cell.thread.thread_id, kind, ...run });
}
