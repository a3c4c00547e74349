import type { History } from "../../kernel/demand.ts";
import type { ThreadRequest } from "../../kernel/request.ts";
import { SignalBoard } from "../../shell/signal-board.ts";
import { freezeDeep } from "../../tables/freeze-deep.ts";
import { isThere, type ThereThread } from "../../tables/read/find-thread.ts";
import { TableWorkers } from "../../tables/table-workers.ts";
import { Tables } from "../../tables/tables.ts";
import { takeSteps } from "../../tables/take-steps.ts";
import { ThreadTables } from "../../tables/thread-tables.ts";
import type { BlobFolder } from "../blob/blob-folder.ts";
import { logName } from "../disk/file-names.ts";
import { Gate } from "../disk/gate.ts";
import type { DocumentFolder } from "../document/document-folder.ts";
import { TakenIds } from "../lane/taken-ids.ts";
import { ThreadLane } from "../lane/thread-lane.ts";
import { isSpareLine } from "../lane/write-down.ts";
import { freshThread } from "../log/fresh-thread.ts";
import type { LoadedLog } from "../log/load-log.ts";
import type { LogFolder } from "../log/log-folder.ts";
import { openWrites } from "../log/open-writes.ts";
import { ThreadLog } from "../log/thread-log.ts";

/** How many logs are flushed at the same time. Node does four things with files at once; one is left for others. */
const WRITERS = 3;

/** An operation to be done on a thread. */
export interface FolderRequest {
  readonly threadId: string;
  readonly request: ThreadRequest;
  readonly now: () => number;
  readonly history: History | undefined;
}

/** An open folder: what is in it, and who writes to it. All handles of a process share one. */
export class StoreFolder {
  readonly tables: Tables = new Tables();
  readonly board: SignalBoard = new SignalBoard(() => undefined);
  readonly workers: TableWorkers = new TableWorkers();
  readonly blobs: BlobFolder;
  readonly documents: DocumentFolder;
  readonly #folder: LogFolder;
  readonly #logs = new Map<ThreadTables, ThreadLog>();
  readonly #lanes = new Map<ThreadTables, ThreadLane>();
  readonly #writing = new Gate(WRITERS);
  readonly #taken = new TakenIds();
  /** Logs whose thread is unknown, by file name, until a caller asks for the thread. */
  readonly #nameless = new Map<string, LoadedLog>();
  #begun: Promise<void> | undefined;

  constructor(logs: LogFolder, blobs: BlobFolder, documents: DocumentFolder) {
    this.#folder = logs;
    this.blobs = blobs;
    this.documents = documents;
  }

  /** For a log that was found when the folder was opened. */
  takeLog(name: string, log: LoadedLog): void {
    if (log.header === undefined) this.#nameless.set(name, log);
    else this.#replay(log.header.tenant, log.header.thread_id, log);
  }

  /** The log of a thread, also of one that is about to be made. */
  logOf(thread: ThreadTables): ThreadLog {
    const known = this.#logs.get(thread);
    if (known !== undefined) return known;
    const log = new ThreadLog(this.#folder, { tenant: thread.tenant.tenant, thread_id: thread.threadId });
    this.#logs.set(thread, log);
    return log;
  }

  findThread(tenant: string, threadId: string): ThereThread | undefined {
    const thread = this.#findTables(tenant, threadId);
    return isThere(thread) ? thread : undefined;
  }

  /** To be called before anything is claimed. */
  begin(now: () => number): Promise<void> {
    this.#begun ??= releaseLeftClaims(this, now);
    return this.#begun;
  }

  /** Does an operation after those that came before it on the same thread. Resolves when it is durable. */
  execute({ threadId, request, now, history }: FolderRequest): Promise<unknown> {
    const { tenant } = request;
    const thread = this.#findTables(tenant, threadId) ?? this.#makeThread(tenant, threadId);
    const lane = this.#lanes.get(thread) ?? this.#makeLane(thread);
    return new Promise((resolve, reject) => lane.add({ request, now, history, resolve, reject }));
  }

  #findTables(tenant: string, threadId: string): ThreadTables | undefined {
    return this.tables.findTenant(tenant)?.threads.get(threadId) ?? this.#recognize(tenant, threadId);
  }

  #makeThread(tenant: string, threadId: string): ThreadTables {
    const owner = this.tables.tenant(tenant);
    const thread = new ThreadTables(owner, threadId);
    owner.threads.set(threadId, thread);
    return thread;
  }

  /** Finds a thread whose log does not name its tenant and id, by the tenant and the id that the caller gives. */
  #recognize(tenant: string, threadId: string): ThreadTables | undefined {
    if (this.#nameless.size === 0) return undefined;
    const name = logName(tenant, threadId);
    const log = this.#nameless.get(name);
    if (log === undefined) return undefined;
    this.#nameless.delete(name);
    return this.#replay(tenant, threadId, log);
  }

  #replay(tenant: string, threadId: string, log: LoadedLog): ThreadTables {
    const thread = this.#makeThread(tenant, threadId);
    replayLog(thread, this.logOf(thread), log);
    return thread;
  }

  #makeLane(thread: ThreadTables): ThreadLane {
    const lane = new ThreadLane(thread, this.logOf(thread), {
      writing: this.#writing,
      taken: this.#taken,
      tell: (signals) => this.board.tell(signals),
      onIdle: () => this.#dropLane(thread),
    });
    this.#lanes.set(thread, lane);
    return lane;
  }

  /** A thread that is not there and has no past is forgotten: anybody may ask for any id. */
  #dropLane(thread: ThreadTables): void {
    this.#lanes.delete(thread);
    if (thread.row !== undefined || !this.logOf(thread).isGone) return;
    thread.tenant.threads.delete(thread.threadId);
    this.#logs.delete(thread);
  }
}

/**
 * Gives back the claims that are there when this process begins to claim: no other process claims in this folder, so they are those
 * of a process that is gone, and their work need not wait for its leases to end.
 */
async function releaseLeftClaims(folder: StoreFolder, now: () => number): Promise<void> {
  const released = [...folder.tables.threads].map(async ({ tenant: { tenant }, threadId, row }) => {
    const owner = row?.claim?.owner;
    if (owner === undefined) return;
    const request = { operation: "release_owner", tenant, thread_id: threadId, owner } as const;
    // One that cannot be written to keeps its claim until its lease ends.
    await folder.execute({ threadId, request, now, history: undefined }).catch(() => undefined);
  });
  await Promise.all(released);
}

/**
 * Puts what a log says into the tables. Of a damaged one that is as much as can be read, also of what came after the damage;
 * the thread is then closed for writing and offers no work.
 */
function replayLog(thread: ThreadTables, log: ThreadLog, { header, lines, end, damagedAt }: LoadedLog): void {
  const { tables } = thread.tenant;
  thread.retiredEpoch = header?.retired_epoch ?? 0;
  log.found(end, thread.retiredEpoch);
  if (damagedAt !== undefined) tables.putThread(thread, freshThread(thread), 0);
  for (const line of lines) {
    takeSteps(thread, openWrites(thread, log, freezeDeep(line.writes), line));
    if (isSpareLine(line.writes)) log.spare += line.length;
  }
  const { row, order } = thread;
  if (damagedAt === undefined || row === undefined) return;
  const damage = row.damage ?? `Its log cannot be read at byte ${damagedAt}.`;
  tables.putThread(thread, { ...row, damage, work: null }, order);
}
