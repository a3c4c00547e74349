import type { Changeset, StoreSignal, ThreadKey } from "@reprise/contracts";
import { escapeText } from "../codec/escape-text.ts";
import { sealChangeset } from "../codec/seal-changeset.ts";
import type { HeldWrite } from "../kernel/held-write.ts";
import type { NeedText } from "../kernel/need.ts";
import type { ClaimAnswer, Claimer, ThreadAnswers, ThreadOperation, ThreadRequest } from "../kernel/request.ts";
import type { SealedChangeset } from "../kernel/sealed-changeset.ts";
import type { DocumentRows } from "../shell/document-rows.ts";
import type { StoreDriver } from "../shell/driver.ts";
import type { RowReader } from "../shell/row-reader.ts";
import type { NameHold, WorkerRow } from "../shell/worker-rows.ts";
import type { Connection } from "./connection.ts";
import type { OpenedFiles } from "./opened-files.ts";
import { createRunReads } from "./read-runs.ts";
import { createThreadReads } from "./read-threads.ts";
import { countDueThreads, selectDueNeeds } from "./select-needs.ts";
import type { SignalBoard } from "./signal-board.ts";
import { createSqliteDocuments } from "./sqlite-documents.ts";
import type { SqliteWorkers } from "./sqlite-workers.ts";
import { contentStatements, headStatement } from "./write-statements.ts";
import type { WriterClient } from "./writer-client.ts";

/** The parts of an open file. */
export interface SqliteParts {
  readonly now: () => number;
  readonly writer: WriterClient;
  /** For reading, on the thread of the caller. */
  readonly connection: Connection;
  readonly workers: SqliteWorkers;
  readonly board: SignalBoard;
  readonly files: OpenedFiles;
}

/** SQLite under the shell. Writes go to the writer's thread; reads are done here, where their rows are needed. */
export class SqliteDriver implements StoreDriver {
  readonly durability = "power-loss";
  readonly reader: RowReader;
  readonly documents: DocumentRows;
  readonly workers: SqliteWorkers;
  readonly #parts: SqliteParts;
  #closed: Promise<void> | undefined;

  constructor(parts: SqliteParts) {
    this.#parts = parts;
    this.workers = parts.workers;
    this.reader = { ...createThreadReads(parts.connection), ...createRunReads(parts.connection) };
    const { connection, now, writer } = parts;
    this.documents = createSqliteDocuments({ connection, now, write: (task) => writer.do(task) });
  }

  async now(): Promise<number> {
    return this.#parts.now();
  }

  async execute<Name extends ThreadOperation>(request: ThreadRequest<Name>): Promise<ThreadAnswers[Name]> {
    // A request of one name is one of all of them, which TypeScript does not see through the parameter.
    const task: ThreadRequest = request as ThreadRequest;
    return this.#parts.writer.do({ task: "operation", now: this.#parts.now(), request: task });
  }

  /** The writer has no selects to do: all that it needs is in the statements. */
  async writeHeld(write: HeldWrite): Promise<boolean> {
    const content = contentStatements(write.tenant, write.writes);
    return this.#parts.writer.do({ task: "held", head: headStatement(write), content, signals: write.signals });
  }

  estimateNow(): number {
    return this.#parts.now();
  }

  seal(changeset: Changeset): SealedChangeset {
    return sealChangeset(changeset);
  }

  async dueNeeds(): Promise<readonly NeedText[]> {
    return selectDueNeeds(this.#parts.connection, this.#parts.now());
  }

  async countDue(limit: number): Promise<number> {
    return countDueThreads(this.#parts.connection, this.#parts.now(), limit);
  }

  async claim(request: Claimer, limit: number): Promise<readonly ClaimAnswer[]> {
    return this.#parts.writer.do({ task: "claim", now: this.#parts.now(), request, limit });
  }

  async findClaims(owner: string): Promise<readonly ThreadKey[]> {
    return this.#parts.connection.all<ThreadKey>(
      `select tenant, thread_id from threads ${CLAIMED} and claim_owner = :owner`,
      {
        owner: escapeText(owner),
      },
    );
  }

  async findClaimed(tenant: string): Promise<readonly string[]> {
    const sql = `select thread_id from threads ${CLAIMED} and tenant = :tenant`;
    const rows = this.#parts.connection.all<{ readonly thread_id: string }>(sql, { tenant });
    return rows.map(({ thread_id }) => thread_id);
  }

  holdName(owner: string): Promise<NameHold> {
    return this.workers.holdName(owner);
  }

  findGone(): Promise<readonly WorkerRow[]> {
    return this.workers.findGone();
  }

  watch(listener: (signal: StoreSignal) => void): () => void {
    return this.#parts.board.watch(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { board, writer, connection, workers, files } = this.#parts;
    board.close();
    // Who closes a file last deletes the log that has its name, and only a writer does. So the writer is the last one, unless the
    // files are others by now: their log is not ours.
    const isOurs = files.areThere;
    if (isOurs) connection.close();
    await writer.close();
    workers.close();
    if (!isOurs) connection.close();
  }
}

/** Threads under a claim are in the work index, with the end of their lease; damaged ones are in it no more, nor claimed. */
const CLAIMED = "where work_need >= '' and work_at is not null and claim_owner is not null";
