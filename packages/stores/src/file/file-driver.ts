import type { Changeset, StoreSignal, ThreadKey } from "@reprise/contracts";
import { sealChangeset } from "../codec/seal-changeset.ts";
import type { History, ThreadDemand } from "../kernel/demand.ts";
import { NO_ROWS } from "../kernel/held-write.ts";
import type { NeedText } from "../kernel/need.ts";
import { demandOf, planOf } from "../kernel/operations.ts";
import type { ClaimAnswer, Claimer, ThreadAnswers, ThreadOperation, ThreadRequest } from "../kernel/request.ts";
import type { SealedChangeset } from "../kernel/sealed-changeset.ts";
import type { DocumentRows } from "../shell/document-rows.ts";
import type { StoreDriver } from "../shell/driver.ts";
import type { RowReader } from "../shell/row-reader.ts";
import type { WorkerRows } from "../shell/worker-rows.ts";
import { claimDue } from "../tables/claim-due.ts";
import { findClaimed, findClaims } from "../tables/find-claims.ts";
import { readHistory } from "../tables/read/read-history.ts";
import { createTableReader } from "../tables/read/table-reader.ts";
import { createFileDocuments } from "./document/file-documents.ts";
import type { StoreFolder } from "./folder/store-folder.ts";
import type { StoreHandle } from "./store-handle.ts";

/** A folder of logs under the shell. Rows are read from memory; texts, and what is written, go to the logs. */
export class FileDriver implements StoreDriver {
  readonly durability = "power-loss";
  readonly reader: RowReader;
  readonly documents: DocumentRows;
  readonly workers: WorkerRows;
  readonly #handle: StoreHandle;
  readonly #now: () => number;

  constructor(handle: StoreHandle, now: () => number) {
    this.#handle = handle;
    this.#now = now;
    this.reader = createTableReader(handle);
    this.documents = createFileDocuments(handle, now);
    this.workers = createFileWorkers(handle, now);
  }

  async now(): Promise<number> {
    return this.#now();
  }

  estimateNow(): number {
    return this.#now();
  }

  seal(changeset: Changeset): SealedChangeset {
    return sealChangeset(changeset);
  }

  async execute<Name extends ThreadOperation>(request: ThreadRequest<Name>): Promise<ThreadAnswers[Name]> {
    return this.#handle.use(async (folder) => {
      if ("claiming" in request) await folder.begin(this.#now);
      return executeRequest(folder, request, this.#now);
    });
  }

  async dueNeeds(): Promise<readonly NeedText[]> {
    return this.#handle.use(async (folder) => {
      await folder.begin(this.#now);
      return folder.tables.work.dueNeeds(this.#now());
    });
  }

  async countDue(limit: number): Promise<number> {
    return this.#handle.use(async (folder) => {
      await folder.begin(this.#now);
      return folder.tables.work.countDue(this.#now(), limit);
    });
  }

  async claim(request: Claimer, limit: number): Promise<readonly ClaimAnswer[]> {
    return this.#handle.use(async (folder) => {
      await folder.begin(this.#now);
      const execute = (offer: ThreadRequest<"claim">) => executeRequest(folder, offer, this.#now);
      return claimDue({ tables: folder.tables, now: this.#now, execute }, request, limit);
    });
  }

  async findClaims(owner: string): Promise<readonly ThreadKey[]> {
    return this.#handle.use(async (folder) => {
      await folder.begin(this.#now);
      return findClaims(folder.tables, owner);
    });
  }

  async findClaimed(tenant: string): Promise<readonly string[]> {
    return this.#handle.use(async ({ tables }) => findClaimed(tables, tenant));
  }

  watch(listener: (signal: StoreSignal) => void): () => void {
    return this.#handle.watch(listener);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** No other process has the folder, so workers need not outlive the process. */
function createFileWorkers(handle: StoreHandle, now: () => number): WorkerRows {
  const use = <Answer>(work: (rows: WorkerRows) => Promise<Answer>): Promise<Answer> =>
    handle.use(async ({ workers }) => work(workers.at(now)));
  return {
    list: () => use((rows) => rows.list()),
    put: (worker, replaced) => use((rows) => rows.put(worker, replaced)),
    remove: (owner, session) => use((rows) => rows.remove(owner, session)),
  };
}

/** Does one operation of the kernel in a folder. Resolves with its answer when it is durable. */
async function executeRequest<Name extends ThreadOperation>(
  folder: StoreFolder,
  request: ThreadRequest<Name>,
  now: () => number,
): Promise<ThreadAnswers[Name]> {
  const demand = demandOf(request);
  const threadId = findThreadId(folder, demand);
  if (threadId === undefined) return planOf(request, NO_ROWS, now()).answer;
  const history = await readHistoryOf(folder, demand);
  // A request of one name is one of all of them, and is answered as its own type says; TypeScript sees neither.
  const task: ThreadRequest = request as ThreadRequest;
  return (await folder.execute({ threadId, request: task, now, history })) as ThreadAnswers[Name];
}

function findThreadId({ tables }: StoreFolder, { tenant, thread }: ThreadDemand): string | undefined {
  if ("thread_id" in thread) return thread.thread_id;
  return tables.findTenant(tenant)?.findByRun(thread.run_id)?.threadId;
}

/**
 * The history of another thread is read before the operation waits for its own: it can only grow meanwhile, and who is deleted at
 * the same time may as well have been forked before.
 */
async function readHistoryOf(folder: StoreFolder, { tenant, history }: ThreadDemand): Promise<History | undefined> {
  const source = history === undefined ? undefined : folder.findThread(tenant, history.thread_id);
  if (history === undefined || source === undefined) return undefined;
  return readHistory(source, history.up_to, sealChangeset);
}
