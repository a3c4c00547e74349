import type { StoreSignal, ThreadKey } from "@reprise/contracts";
import { leaveOpen } from "../codec/seal-changeset.ts";
import type { History, ThreadDemand } from "../kernel/demand.ts";
import { NO_ROWS } from "../kernel/held-write.ts";
import type { NeedText } from "../kernel/need.ts";
import { demandOf, planOf } from "../kernel/operations.ts";
import type { ClaimAnswer, Claimer, ThreadAnswers, ThreadOperation, ThreadRequest } from "../kernel/request.ts";
import type { SealedChangeset } from "../kernel/sealed-changeset.ts";
import type { Write } from "../kernel/write.ts";
import type { DocumentKey, DocumentRow, DocumentRows } from "../shell/document-rows.ts";
import type { StoreDriver } from "../shell/driver.ts";
import type { RowReader } from "../shell/row-reader.ts";
import { SignalBoard } from "../shell/signal-board.ts";
import type { WorkerRows } from "../shell/worker-rows.ts";
import { claimDue } from "../tables/claim-due.ts";
import { DocumentIndex } from "../tables/document-index.ts";
import { findClaimed, findClaims } from "../tables/find-claims.ts";
import { isThere, type ThereThread } from "../tables/read/find-thread.ts";
import { readDemand } from "../tables/read/read-demand.ts";
import { readHistory } from "../tables/read/read-history.ts";
import { referredBlobs } from "../tables/read/referred-blobs.ts";
import { createTableReader } from "../tables/read/table-reader.ts";
import { fromJson, toJson } from "../tables/stored-json.ts";
import { TableWorkers } from "../tables/table-workers.ts";
import { Tables } from "../tables/tables.ts";
import { takeStep } from "../tables/take-steps.ts";
import { ThreadTables } from "../tables/thread-tables.ts";
import { MemoryCommit } from "./memory-commit.ts";
import { toTableWrite } from "./memory-writes.ts";

/** Tables under the shell, and nothing else. Every operation is planned and done in one turn, so that each is atomic. */
export class MemoryDriver implements StoreDriver {
  readonly durability = "none";
  readonly reader: RowReader;
  readonly documents: DocumentRows;
  readonly workers: WorkerRows;
  readonly #tables = new Tables();
  readonly #board = new SignalBoard(() => undefined);
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
    this.documents = createMemoryDocuments(now);
    this.workers = new TableWorkers().at(now);
    this.reader = createTableReader({
      tables: this.#tables,
      findThread: (tenant, threadId) => this.#findThread(tenant, threadId),
    });
  }

  async now(): Promise<number> {
    return this.#now();
  }

  estimateNow(): number {
    return this.#now();
  }

  seal(changeset: Parameters<StoreDriver["seal"]>[0]): SealedChangeset {
    return leaveOpen(changeset);
  }

  async execute<Name extends ThreadOperation>(request: ThreadRequest<Name>): Promise<ThreadAnswers[Name]> {
    const own = keepOwn(request);
    const demand = demandOf(own);
    const history = demand.history === undefined ? undefined : await this.#readHistory(demand);
    const now = this.#now();
    const thread = this.#findTables(demand);
    if (thread === undefined) return planOf(own, NO_ROWS, now).answer;
    const rows = readDemand(thread, demand, now);
    const { writes, answer, signals } = planOf(own, history === undefined ? rows : { ...rows, history }, now);
    if (writes.length > 0) write(thread, writes);
    this.#board.tell(signals);
    return answer;
  }

  async dueNeeds(): Promise<readonly NeedText[]> {
    return this.#tables.work.dueNeeds(this.#now());
  }

  async countDue(limit: number): Promise<number> {
    return this.#tables.work.countDue(this.#now(), limit);
  }

  claim(request: Claimer, limit: number): Promise<readonly ClaimAnswer[]> {
    const execute = (offer: ThreadRequest<"claim">) => this.execute(offer);
    return claimDue({ tables: this.#tables, now: this.#now, execute }, request, limit);
  }

  async findClaims(owner: string): Promise<readonly ThreadKey[]> {
    return findClaims(this.#tables, owner);
  }

  async findClaimed(tenant: string): Promise<readonly string[]> {
    return findClaimed(this.#tables, tenant);
  }

  watch(listener: (signal: StoreSignal) => void): () => void {
    return this.#board.watch(listener);
  }

  async close(): Promise<void> {
    this.#board.clear();
  }

  /** The blobs that the threads of a tenant refer to. */
  referredBlobs(tenant: string): ReadonlySet<string> {
    return referredBlobs(this.#tables.findTenant(tenant));
  }

  #findThread(tenant: string, threadId: string): ThereThread | undefined {
    const thread = this.#tables.findTenant(tenant)?.threads.get(threadId);
    return isThere(thread) ? thread : undefined;
  }

  /** The tables of a thread, which need not exist yet. Undefined when it is looked up by an unknown run. */
  #findTables({ tenant, thread }: ThreadDemand): ThreadTables | undefined {
    const owner = this.#tables.tenant(tenant);
    if ("run_id" in thread) return owner.findByRun(thread.run_id);
    return owner.threads.get(thread.thread_id) ?? new ThreadTables(owner, thread.thread_id);
  }

  /** Read before the operation's own turn: another thread's history can only grow. */
  async #readHistory({ tenant, history }: ThreadDemand): Promise<History | undefined> {
    const source = history === undefined ? undefined : this.#findThread(tenant, history.thread_id);
    if (history === undefined || source === undefined) return undefined;
    return readHistory(source, history.up_to, leaveOpen);
  }
}

/** What callers hand in stays theirs. Changesets are frozen instead, and requests of runs are texts already. */
function keepOwn<Name extends ThreadOperation>(request: ThreadRequest<Name>): ThreadRequest<Name> {
  switch (request.operation) {
    case "create_thread":
    case "update_thread":
    case "decide":
      // JSON of a request is a request.
      return fromJson(toJson(request)) as ThreadRequest<Name>;
    default:
      return request;
  }
}

function write(thread: ThreadTables, writes: readonly Write[]): void {
  const { tenant, threadId } = thread;
  tenant.threads.set(threadId, thread);
  for (const change of writes) {
    if (change.write === "delete_thread") {
      tenant.emptyThread(thread, change.epoch);
      if (change.epoch === 0) tenant.threads.delete(threadId);
    } else {
      takeStep(thread, toTableWrite(thread, change));
      if (change.write === "prune") pruneCommits(thread, change.up_to);
    }
  }
}

function pruneCommits({ commits }: ThreadTables, upTo: number): void {
  for (const cell of commits.range(0, upTo)) if (cell instanceof MemoryCommit) cell.prune();
}

/** Documents in memory. Their bodies are texts, which no caller can change. */
function createMemoryDocuments(now: () => number): DocumentRows {
  const index = new DocumentIndex<DocumentRow>();
  let lastRevision = 0;
  const find = (key: DocumentKey): DocumentRow | undefined => index.find(key, now());
  return {
    load: async (key) => find(key),
    async save(document, expected) {
      const found = find(document);
      if ((found?.revision ?? 0) !== expected) return { saved: false, row: found };
      lastRevision += 1;
      const row = { ...document, revision: lastRevision, updated_at: now() };
      index.put(row);
      return { saved: true, row };
    },
    async delete(key, expected) {
      const found = find(key);
      if (found === undefined || found.revision !== (expected ?? found.revision)) return false;
      index.remove(found);
      return true;
    },
    list: async ({ tenant, kind, after, limit }) => index.after({ tenant, kind, id: after }, limit, now()),
    async prune(limit) {
      const expired = index.expired(limit, now());
      for (const row of expired) index.remove(row);
      return expired.length;
    },
  };
}
