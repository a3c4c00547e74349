import { RepriseError, type StoreSignal } from "@reprise/contracts";
import type { Connection } from "./connection.ts";
import { runTask } from "./run-task.ts";
import { keepSignals, trimSignals } from "./signal-log.ts";
import { fromSqliteError } from "./sqlite-errors.ts";
import type { NumberedTask, Outcome, PlainError, WriterReport } from "./writer-task.ts";

/** Not with every batch: dropping many rows at once costs no more than dropping one. */
const TRIM_EVERY = 50;
let batches = 0;

function isTimeToTrim(): boolean {
  batches += 1;
  return batches % TRIM_EVERY === 0;
}

/**
 * Does a batch of tasks in one transaction: one flush for all of them. A task that is refused is undone by its savepoint and
 * leaves the others alone; when the transaction itself fails, all of them have failed and nothing was written.
 */
export function writeBatch(connection: Connection, tasks: readonly NumberedTask[], writer: number): WriterReport {
  try {
    connection.run("begin immediate");
  } catch (error) {
    return failAll(tasks, error);
  }
  try {
    const outcomes: Outcome[] = [];
    const signals: StoreSignal[] = [];
    for (const task of tasks) outcomes.push(runInSavepoint(connection, task, signals));
    keepSignals(connection, signals, writer);
    if (signals.length > 0 && isTimeToTrim()) trimSignals(connection);
    connection.run("commit");
    return { report: "done", outcomes, signals };
  } catch (error) {
    rollBack(connection);
    return failAll(tasks, error);
  }
}

function runInSavepoint(connection: Connection, { number, task }: NumberedTask, signals: StoreSignal[]): Outcome {
  connection.run("savepoint task");
  try {
    const result = runTask(connection, task);
    connection.run("release task");
    signals.push(...result.signals);
    return { number, answer: result.answer };
  } catch (error) {
    const known = fromSqliteError(error);
    // Without space or a disk the whole transaction is lost, and SQLite may have ended it already.
    if (known.code === "STORE_UNAVAILABLE") throw error;
    connection.exec("rollback to task; release task");
    return { number, error: toPlainError(known) };
  }
}

function rollBack(connection: Connection): void {
  try {
    connection.run("rollback");
  } catch {
    // SQLite ends a transaction by itself when the disk is full.
  }
}

function failAll(tasks: readonly NumberedTask[], thrown: unknown): WriterReport {
  const error = toPlainError(fromSqliteError(thrown));
  return { report: "done", outcomes: tasks.map(({ number }) => ({ number, error })), signals: [] };
}

export function toPlainError({ code, message, details }: RepriseError): PlainError {
  return { code, message, details };
}

export function fromPlainError({ code, message, details }: PlainError): RepriseError {
  return new RepriseError(code, message, { details });
}
