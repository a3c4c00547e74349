import type { Changeset, ClaimRequest, StoreSignal, ThreadPlace } from "@reprise/contracts";
import { escapeText } from "../codec/escape-text.ts";
import { sealChangeset } from "../codec/seal-changeset.ts";
import type { SealedChangeset } from "../codec/sealed-changeset.ts";
import type { HeldWrite } from "../kernel/held-write.ts";
import type { ClaimAnswer, ThreadAnswers, ThreadOperation, ThreadRequest } from "../kernel/request.ts";
import type { DocumentRows } from "../shell/document-rows.ts";
import type { StoreDriver } from "../shell/driver.ts";
import type { RowReader } from "../shell/row-reader.ts";
import type { Connection } from "./connection.ts";
import type { Dispatcher } from "./dispatcher.ts";
import type { OpenedFiles } from "./opened-files.ts";
import { createRunReads } from "./read-runs.ts";
import { createThreadReads } from "./read-threads.ts";
import type { SignalBoard } from "./signal-board.ts";
import { createSqliteDocuments } from "./sqlite-documents.ts";
import { contentStatements, headStatement } from "./write-statements.ts";
import type { WriterClient } from "./writer-client.ts";

/** The parts of an open file. */
export interface SqliteParts {
  readonly now: () => number;
  readonly writer: WriterClient;
  /** For reading, on the thread of the caller. */
  readonly connection: Connection;
  readonly dispatcher: Dispatcher;
  readonly board: SignalBoard;
  readonly files: OpenedFiles;
}

/** SQLite under the shell. Writes go to the writer's thread; reads are done here, where their rows are needed. */
export class SqliteDriver implements StoreDriver {
  readonly durability = "power-loss";
  readonly reader: RowReader;
  readonly documents: DocumentRows;
  readonly #parts: SqliteParts;
  #closed: Promise<void> | undefined;

  constructor(parts: SqliteParts) {
    this.#parts = parts;
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
    if (task.operation !== "submit" || task.claiming === undefined) return this.#do(task);
    if (await this.#parts.dispatcher.tryBecome()) return this.#do(task);
    // A process that may not claim can still enqueue: whoever claims will start the run.
    const { claiming: _, ...enqueued } = task;
    return this.#do(enqueued);
  }

  /** The writer has no selects to do: all that it needs is in the statements. */
  async writeHeld(write: HeldWrite): Promise<boolean> {
    if (write.columns === "claim" && isClaiming(write) && !(await this.#parts.dispatcher.tryBecome())) return false;
    const content = contentStatements(write.tenant, write.writes);
    return this.#parts.writer.do({ task: "held", head: headStatement(write), content, signals: write.signals });
  }

  estimateNow(): number {
    return this.#parts.now();
  }

  seal(changeset: Changeset): SealedChangeset {
    return sealChangeset(changeset);
  }

  #do<Answer>(request: ThreadRequest): Promise<Answer> {
    return this.#parts.writer.do({ task: "operation", now: this.#parts.now(), request });
  }

  async claim(request: ClaimRequest, limit: number): Promise<readonly ClaimAnswer[]> {
    await this.#parts.dispatcher.become();
    return this.#parts.writer.do({ task: "claim", now: this.#parts.now(), request, limit });
  }

  /** For whoever claims only: another process must not end the claims of the one that does. */
  async findClaims(owner: string): Promise<readonly ThreadPlace[]> {
    await this.#parts.dispatcher.become();
    return this.#parts.connection.all<ThreadPlace>(
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

  /** Whoever claims on a file is the only one, under whatever name; in a process of several, each has its own. */
  async enter(owner: string): Promise<() => Promise<void>> {
    return this.#parts.dispatcher.enter(owner);
  }

  watch(listener: (signal: StoreSignal) => void): () => void {
    return this.#parts.board.watch(listener);
  }

  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const { board, writer, connection, dispatcher, files } = this.#parts;
    board.close();
    // Who closes a file last deletes the log that has its name, and only a writer does. So the writer is the last one, unless the
    // files are others by now: their log is not ours.
    const isOurs = files.areThere;
    if (isOurs) connection.close();
    await writer.close();
    dispatcher.close();
    if (!isOurs) connection.close();
  }
}

/** Threads under a claim are in the work index, with the end of their lease; damaged ones are in it no more, nor claimed. */
const CLAIMED = "where work_rank in (0, 1, 2) and work_at is not null and claim_owner is not null";

/** Whether a write takes a claim, rather than ending one. */
function isClaiming({ condition }: HeldWrite): boolean {
  return condition === null || condition.claim_epoch === null;
}
