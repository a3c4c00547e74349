import { RepriseError, type StoreSignal } from "@reprise/contracts";
import type { Connection } from "./connection.ts";
import { HalfWritten, runTask } from "./run-task.ts";
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
 * Does a batch of tasks in one transaction: one flush for all of them. A task that is refused before it wrote anything, as nearly
 * all are that are refused, leaves the others alone. When one fails at writing, everything is undone and each is done by itself.
 * When the transaction itself fails, all of them have failed and nothing was written.
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
    for (const task of tasks) outcomes.push(tryTask(connection, task, signals));
    keepSignals(connection, signals, writer);
    if (signals.length > 0 && isTimeToTrim()) trimSignals(connection);
    connection.run("commit");
    return { report: "done", outcomes, signals };
  } catch (error) {
    rollBack(connection);
    if (!(error instanceof HalfWritten)) return failAll(tasks, error);
    return tasks.length === 1 ? failAlone(tasks, error.cause) : writeApart(connection, tasks, writer);
  }
}

function tryTask(connection: Connection, { number, task }: NumberedTask, signals: StoreSignal[]): Outcome {
  try {
    const result = runTask(connection, task);
    signals.push(...result.signals);
    return { number, answer: result.answer };
  } catch (error) {
    const cause = error instanceof HalfWritten ? error.cause : error;
    if (isFatal(cause)) throw cause;
    if (error instanceof HalfWritten) throw error;
    return { number, error: toPlainError(fromSqliteError(error)) };
  }
}

/** Without space or a disk the whole transaction is lost, and SQLite may have ended it already. */
function isFatal(error: unknown): boolean {
  const { code } = fromSqliteError(error);
  return code === "STORE_UNAVAILABLE" || code === "STORAGE_FULL";
}

function writeApart(connection: Connection, tasks: readonly NumberedTask[], writer: number): WriterReport {
  const outcomes: Outcome[] = [];
  const signals: StoreSignal[] = [];
  for (const task of tasks) {
    const report = writeBatch(connection, [task], writer);
    if (report.report !== "done") continue;
    outcomes.push(...report.outcomes);
    signals.push(...report.signals);
  }
  return { report: "done", outcomes, signals };
}

function rollBack(connection: Connection): void {
  try {
    connection.run("rollback");
  } catch {
    // SQLite ends a transaction by itself when the disk is full.
  }
}

/** What was planned without reading is planned again with it: a unique index says that others were quicker. */
function failAlone(tasks: readonly NumberedTask[], thrown: unknown): WriterReport {
  const [first] = tasks;
  if (first?.task.task !== "held" || isFatal(thrown)) return failAll(tasks, thrown);
  return { report: "done", outcomes: [{ number: first.number, answer: false }], signals: [] };
}

/** Refuses all of a batch, for one reason. */
export function failAll(tasks: readonly NumberedTask[], thrown: unknown): WriterReport {
  const error = toPlainError(fromSqliteError(thrown));
  return { report: "done", outcomes: tasks.map(({ number }) => ({ number, error })), signals: [] };
}

export function toPlainError({ code, message, details }: RepriseError): PlainError {
  return { code, message, details };
}

export function fromPlainError({ code, message, details }: PlainError): RepriseError {
  return new RepriseError(code, message, { details });
}
