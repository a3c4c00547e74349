import {
  type Admission,
  assertId,
  type Changeset,
  emptyChangeset,
  invalidRequest,
  RepriseError,
  type Thread,
  versionGone,
} from "@reprise/contracts";
import type { TrackedPatch } from "@reprise/state";
import { applyChangeset } from "./apply-changeset.ts";
import type { MemoryPorts } from "./memory-ports.ts";
import { announceCommit } from "./memory-writer.ts";
import { openRunOf, requireThread, type TenantWorld } from "./tenant-world.ts";
import { createThreadCell, isClaimLive, type ThreadCell } from "./thread-cell.ts";

type ThreadAdmission = Pick<Admission, "createThread" | "updateThread" | "forkThread" | "deleteThread">;

/** The writes that make, change and take whole threads. */
export function createThreadAdmission(world: TenantWorld, ports: MemoryPorts): ThreadAdmission {
  return {
    async createThread(wanted) {
      assertFree(world, wanted.thread_id);
      const now = ports.clock.now();
      const cell = createThreadCell(world, { ...wanted, version: 0, created_at: now, updated_at: now });
      world.threads.set(wanted.thread_id, cell);
      return cell.thread;
    },
    async updateThread(threadId, metadata) {
      const cell = requireThread(world, threadId);
      const { thread } = cell;
      cell.thread = { ...thread, metadata: { ...thread.metadata, ...metadata }, updated_at: ports.clock.now() };
      return cell.thread;
    },
    async forkThread(threadId, version, newThreadId) {
      const source = requireThread(world, threadId);
      if (!Number.isSafeInteger(version) || version < 0 || version > source.thread.version) {
        throw invalidRequest(
          `Cannot fork thread ${threadId} at version ${version}: it is at ${source.thread.version}.`,
        );
      }
      const oldest = source.base?.version ?? 0;
      if (version < oldest) throw versionGone(threadId, version, oldest);
      assertFree(world, newThreadId);
      const now = ports.clock.now();
      const cell = createThreadCell(world, forkedThread(source.thread, newThreadId, now));
      world.threads.set(newThreadId, cell);
      applyChangeset(cell, forkedHistory(source, version, newThreadId), { epoch: null, now });
      announceCommit(cell, ports, null);
      return cell.thread;
    },
    async deleteThread(threadId) {
      const cell = requireThread(world, threadId);
      if (openRunOf(cell)?.record.status === "running" || isClaimLive(cell, ports.clock.now())) {
        throw new RepriseError("THREAD_BUSY", `Cannot delete thread ${threadId}: a run is running.`);
      }
      ports.work.remove(cell);
      removeThread(world, cell);
    },
  };
}

function assertFree(world: TenantWorld, threadId: string): void {
  assertId("thread", threadId);
  if (world.threads.has(threadId)) {
    throw new RepriseError("THREAD_EXISTS", `There is a thread ${threadId} already.`, {
      details: { thread_id: threadId },
    });
  }
}

function forkedThread({ thread_id, resource_id, metadata }: Thread, newThreadId: string, now: number): Thread {
  return {
    thread_id: newThreadId,
    parent_thread_id: thread_id,
    ...(resource_id === undefined ? {} : { resource_id }),
    metadata,
    version: 0,
    created_at: now,
    updated_at: now,
  };
}

/** All a thread said and became up to a version, as one changeset: the first of the fork. */
function forkedHistory({ base, changesets, messages }: ThreadCell, version: number, newThreadId: string): Changeset {
  const history = changesets.slice(0, version - (base?.version ?? 0));
  const begun: readonly TrackedPatch[] =
    base === undefined ? [] : [{ id: "fork_base", source: "fork", ops: [{ op: "set", path: [], value: base.state }] }];
  return {
    ...emptyChangeset(newThreadId, null, `fork_${version}`),
    reasons: ["fork"],
    messages: [
      ...messages.slice(0, base?.messages ?? 0).map(({ message }) => message),
      ...history.flatMap((changeset) => changeset.messages),
    ],
    supersedes: [...(base?.supersedes ?? []), ...history.flatMap(({ supersedes }) => supersedes)],
    patches: [...begun, ...history.flatMap(({ patches }) => patches)],
    blob_refs: [...new Set(history.flatMap(({ blob_refs }) => blob_refs))],
  };
}

export function removeThread(world: TenantWorld, cell: ThreadCell): void {
  world.threads.delete(cell.thread.thread_id);
  if (cell.epoch > 0) world.retiredEpochs.set(cell.thread.thread_id, cell.epoch);
  for (const runId of cell.runIds) {
    for (const call of world.runs.get(runId)?.calls.values() ?? []) world.calls.delete(call);
    world.runs.delete(runId);
  }
  for (const { entry } of cell.mailbox.slots) {
    world.entries.delete(entry.entry_id);
    if (entry.kind === "run") world.entriesByRun.delete(entry.run_id);
  }
}
