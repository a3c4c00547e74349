import { RepriseError, type StoreSignal, type ThreadKey } from "@reprise/contracts";
import { escapeText } from "../codec/escape-text.ts";
import { demandOf, planOf } from "../kernel/operations.ts";
import type { ClaimAnswer, Claimer, ThreadAnswers, ThreadOperation, ThreadRequest } from "../kernel/request.ts";
import { TOO_NEW_PAUSE_MS } from "../kernel/work.ts";
import { assertRoom, runBlobTask } from "./blob-tasks.ts";
import type { Connection } from "./connection.ts";
import { deleteDocument, pruneDocuments, saveDocument } from "./document-tasks.ts";
import { executeStatements, executeWrites, queryStatement } from "./execute-writes.ts";
import { readDemand } from "./read-demand.ts";
import type { BlobTask, HeldTask, WorkerTask, WriterTask } from "./writer-task.ts";

type Task<Name extends WorkerTask["task"]> = Extract<WorkerTask, { readonly task: Name }>;

/** The slot of those that are gone. */
const NO_SLOT = 0;

/** Writes a worker in the place of another, if that is the one that is there. */
function putWorker(connection: Connection, task: Task<"put_worker">): boolean {
  const { owner, session, slot, now, lease_ms, abilities, replaced } = task;
  const values = { owner: escapeText(owner), session, slot, until: now + lease_ms, abilities };
  const sql =
    replaced === null
      ? `insert into workers (owner, session, slot, until, abilities)
           values (:owner, :session, :slot, :until, coalesce(:abilities, '{}')) on conflict do nothing returning slot`
      : `update workers set session = :session, slot = :slot, until = :until, abilities = coalesce(:abilities, abilities)
           where owner = :owner and session = :replaced returning slot`;
  return connection.get(sql, replaced === null ? values : { ...values, replaced }) !== undefined;
}

function removeWorker(connection: Connection, { owner, session }: Task<"remove_worker">): null {
  connection.run("delete from workers where owner = :owner and session = :session", {
    owner: escapeText(owner),
    session,
  });
  return null;
}

function freeSlot(connection: Connection, { slot }: Task<"free_slot">): null {
  connection.run("update workers set slot = :none where slot = :slot", { none: NO_SLOT, slot });
  return null;
}

/** What a task came to inside the transaction. */
export interface TaskResult {
  readonly answer: unknown;
  readonly signals: readonly StoreSignal[];
}

/** A task failed after it had begun to write: the transaction must be rolled back. `cause` is why. */
export class HalfWritten extends Error {
  constructor(cause: unknown) {
    super("A task failed at writing.", { cause });
  }
}

/** Does a task in the transaction that is open. Throws when it is refused; `HalfWritten` when it wrote something before. */
export function runTask(connection: Connection, task: WriterTask): TaskResult {
  switch (task.task) {
    case "operation":
      return runOperation(connection, task.request, task.now);
    case "held":
      return writeHeld(connection, task);
    case "claim":
      return claimThreads(connection, task.request, task.limit, task.now);
    case "put_blob":
    case "delete_blob":
    case "collect_blob":
    case "begin_upload":
    case "add_part":
    case "finish_upload":
    case "give_up_upload":
    case "sweep_uploads":
    case "unlist_object":
      return { answer: changeBlobs(connection, task), signals: [] };
    case "save_document":
      return { answer: saveDocument(connection, task), signals: [] };
    case "delete_document":
      return { answer: deleteDocument(connection, task), signals: [] };
    case "prune_documents":
      return { answer: pruneDocuments(connection, task), signals: [] };
    case "put_worker":
      return { answer: putWorker(connection, task), signals: [] };
    case "remove_worker":
      return { answer: removeWorker(connection, task), signals: [] };
    case "free_slot":
      return { answer: freeSlot(connection, task), signals: [] };
    default:
      return task satisfies never;
  }
}

/** Blobs are written by several statements, each of which may fail. */
function changeBlobs(connection: Connection, task: BlobTask): boolean {
  assertRoom(connection, task);
  try {
    return runBlobTask(connection, task);
  } catch (error) {
    throw new HalfWritten(error);
  }
}

/** Writes that were planned without reading. A unique index that is in the way means what a failed condition means. */
function writeHeld(connection: Connection, { head, content, signals }: HeldTask): TaskResult {
  const threadKey = queryStatement(connection, head);
  if (threadKey === undefined) return { answer: false, signals: [] };
  try {
    executeStatements(connection, content, threadKey);
  } catch (error) {
    throw new HalfWritten(error);
  }
  return { answer: true, signals };
}

/** One operation of the kernel: read what it demands, plan, write. */
function runOperation<Name extends ThreadOperation>(
  connection: Connection,
  request: ThreadRequest<Name>,
  now: number,
): { readonly answer: ThreadAnswers[Name]; readonly signals: readonly StoreSignal[] } {
  const demanded = readDemand(connection, demandOf(request), now);
  const { writes, answer, signals } = planOf(request, demanded.rows, now);
  try {
    const { tenant } = request;
    executeWrites(connection, writes, { tenant, key: demanded.threadKey, before: demanded.rows.thread });
  } catch (error) {
    throw new HalfWritten(error);
  }
  return { answer, signals };
}

const DUE_THREADS = `select tenant, thread_id from threads
  where work_need = :need and work_rank = :rank and work_at <= :now and work_at is not null order by work_at limit :limit`;

/** Offers threads that are due, rank by rank and need by need, until enough claims were granted. Each offer settles when a thread is due next. */
function claimThreads(connection: Connection, request: Claimer, limit: number, now: number): TaskResult {
  const granted: ClaimAnswer[] = [];
  const signals: StoreSignal[] = [];
  const classes = [0, 1, 2].flatMap((rank) => request.needs.map((need) => ({ rank, need })));
  for (const one of classes) {
    while (granted.length < limit) {
      const due = connection.all<ThreadKey>(DUE_THREADS, {
        ...one,
        now,
        limit: limit - granted.length,
      });
      if (due.length === 0) break;
      for (const thread of due) {
        const offered = offer(connection, { operation: "claim", ...thread, request }, now);
        if (offered.answer !== null) granted.push(offered.answer);
        signals.push(...offered.signals);
      }
    }
  }
  return { answer: granted, signals };
}

const CLOSE_THREAD = `update threads set damage = :damage, work_rank = null, work_at = null
  where tenant = :tenant and thread_id = :thread_id`;

const DEFER_THREAD = "update threads set work_at = :at where tenant = :tenant and thread_id = :thread_id";

/** A thread that is damaged is closed. One that a newer version wrote is for newer processes: it is due again in a while. */
function setAside(
  connection: Connection,
  { tenant, thread_id }: ThreadRequest<"claim">,
  { error, now }: { readonly error: unknown; readonly now: number },
): void {
  if (RepriseError.is(error, "FORMAT_TOO_NEW")) {
    connection.run(DEFER_THREAD, { at: now + TOO_NEW_PAUSE_MS, tenant, thread_id });
    return;
  }
  // Threads before this one may have been claimed.
  if (!RepriseError.is(error, "CORRUPT_DATA")) throw new HalfWritten(error);
  connection.run(CLOSE_THREAD, { damage: escapeText(error.message), tenant, thread_id });
}

interface Offered {
  readonly answer: ClaimAnswer | null;
  readonly signals: readonly StoreSignal[];
}

/** Offers one thread. One that cannot be read must not stand in the way of the others; reading comes before any write. */
function offer(connection: Connection, request: ThreadRequest<"claim">, now: number): Offered {
  try {
    return runOperation(connection, request, now);
  } catch (error) {
    if (error instanceof HalfWritten) throw error;
    setAside(connection, request, { error, now });
    return { answer: null, signals: [] };
  }
}
