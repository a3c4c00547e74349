import {
  assertId,
  type Claim,
  type ClaimingSubmission,
  invalidRequest,
  type MailboxEntry,
  type NewEntry,
  RepriseError,
  type Submitted,
  type Thread,
} from "@reprise/contracts";
import { applyChangeset } from "./apply-changeset.ts";
import { assertChangeset, assertVersion } from "./check-changeset.ts";
import { describeClaim, holdThread } from "./claims.ts";
import { addEntry, closeEntry } from "./entries.ts";
import { beginGeneration } from "./interrupt.ts";
import type { MemoryPorts } from "./memory-ports.ts";
import { announce, announceCommit } from "./memory-writer.ts";
import type { TenantWorld } from "./tenant-world.ts";
import { createThreadCell, isClaimLive, type ThreadCell } from "./thread-cell.ts";

/** Puts a run into a thread's mailbox, or starts it at once when the thread is idle and the caller wants to own it. */
export function submit(
  world: TenantWorld,
  ports: MemoryPorts,
  incoming: NewEntry,
  claiming: ClaimingSubmission | undefined,
): Submitted {
  assertIds(incoming);
  const now = ports.clock.now();
  const known = world.threads.get(incoming.thread_id);
  const duplicate = findDuplicate(world, known, incoming);
  if (duplicate !== undefined) return { status: "duplicate", entry: duplicate };

  const cell = known ?? createThreadCell(world, newThread(incoming, now));
  const isIdle = cell.openRunId === undefined && !isClaimLive(cell, now) && !cell.mailbox.hasPending;
  if (!isIdle && incoming.busy_policy === "reject") {
    throw new RepriseError("THREAD_BUSY", `Cannot start a run on thread ${incoming.thread_id}: it is busy.`);
  }
  const startsNow = isIdle && (incoming.available_at ?? now) <= now ? claiming : undefined;
  if (startsNow !== undefined) assertClaiming(cell, incoming, startsNow);

  // From here on nothing can fail.
  world.threads.set(incoming.thread_id, cell);
  const rolledBack = interrupts(incoming) ? beginGeneration(cell, incoming.busy_policy, now).run_id : undefined;
  const slot = addEntry(cell, completeEntry(cell, incoming, rolledBack, now));
  if (startsNow === undefined) {
    announce(cell, ports, "work");
    if (rolledBack !== undefined) announce(cell, ports, "inbox", rolledBack);
    return { status: "queued", entry: slot.entry };
  }
  closeEntry(cell, slot, "accepted", { now });
  const claim: Claim = {
    ...describeClaim(cell, holdThread(cell, startsNow, { kind: "start", now })),
    entry: slot.entry,
  };
  const version = applyChangeset(cell, startsNow.changeset, { epoch: claim.epoch, now });
  announceCommit(cell, ports, incoming.run_id);
  return { status: "claimed", entry: slot.entry, claim, version };
}

function assertIds({ thread_id, entry_id, run_id }: NewEntry): void {
  assertId("thread", thread_id);
  assertId("entry", entry_id);
  assertId("run", run_id);
}

function findDuplicate(world: TenantWorld, cell: ThreadCell | undefined, incoming: NewEntry): MailboxEntry | undefined {
  const sameId = world.entries.get(incoming.entry_id);
  if (sameId !== undefined && sameId.entry.thread_id === incoming.thread_id) return sameId.entry;
  const { dedupe_key: key } = incoming;
  const sameKey = key === undefined ? undefined : cell?.mailbox.findByDedupeKey(key);
  if (sameKey !== undefined) return sameKey.entry;
  if (sameId !== undefined) throw invalidRequest(`The entry id ${incoming.entry_id} is taken in another thread.`);
  if (world.runs.has(incoming.run_id) || world.entriesByRun.has(incoming.run_id)) {
    throw invalidRequest(`The run id ${incoming.run_id} is taken.`);
  }
  return undefined;
}

function assertClaiming(cell: ThreadCell, incoming: NewEntry, { changeset, expected }: ClaimingSubmission): void {
  assertId("changeset", changeset.changeset_id);
  if (changeset.thread_id !== incoming.thread_id || changeset.run_id !== incoming.run_id) {
    throw invalidRequest(`The changeset ${changeset.changeset_id} is not of run ${incoming.run_id}.`);
  }
  assertVersion(cell, expected);
  if (cell.versions.has(changeset.changeset_id)) {
    throw invalidRequest(`Thread ${incoming.thread_id} has the changeset ${changeset.changeset_id} already.`);
  }
  assertChangeset(cell, changeset, incoming.entry_id);
}

function interrupts({ busy_policy }: NewEntry): boolean {
  return busy_policy === "interrupt" || busy_policy === "rollback";
}

function completeEntry(
  cell: ThreadCell,
  incoming: NewEntry,
  rolledBack: string | undefined,
  now: number,
): MailboxEntry {
  return {
    ...incoming,
    kind: "run",
    ...(incoming.busy_policy === "rollback" && rolledBack !== undefined ? { rolls_back: rolledBack } : {}),
    generation: cell.generation,
    status: "queued",
    available_at: incoming.available_at ?? now,
    attempts: 0,
    created_at: now,
    updated_at: now,
  };
}

function newThread({ thread_id, request }: NewEntry, now: number): Thread {
  const { resource_id, parent_thread_id } = request;
  return {
    thread_id,
    ...(resource_id === undefined ? {} : { resource_id }),
    ...(parent_thread_id === undefined ? {} : { parent_thread_id }),
    metadata: {},
    version: 0,
    created_at: now,
    updated_at: now,
  };
}
