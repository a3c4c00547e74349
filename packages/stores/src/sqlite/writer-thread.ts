import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { Connection } from "./connection.ts";
import { openFile } from "./open-file.ts";
import { openedDatabase } from "./opened-files.ts";
import { fromSqliteError } from "./sqlite-errors.ts";
import { failAll, toPlainError, writeBatch } from "./writer.ts";
import type { NumberedTask, WriterReport } from "./writer-task.ts";

/** What the writer is started with. */
export interface WriterOptions {
  readonly file: string;
  readonly busyTimeoutMs: number;
  /** Who writes, for the notes other processes read. */
  readonly writer: number;
}

/** The largest batch: beyond this a flush is no longer what costs. */
const MAX_BATCH = 500;

/** The writer's thread: whatever came while the last batch was flushed is the next one. */
function work({ file, busyTimeoutMs, writer }: WriterOptions): void {
  const port = parentPort;
  if (port === null) return;
  const report = (value: WriterReport): void => port.postMessage(value);
  try {
    const connection = openFile(file, { busyTimeoutMs });
    const files = openedDatabase(file);
    /** Nothing is acknowledged that was written to a file that is gone: it is looked for before a batch and after it. */
    const write = (batch: readonly NumberedTask[]): WriterReport => {
      try {
        files.assertThere();
        const done = writeBatch(connection, batch, writer);
        files.assertThere();
        return done;
      } catch (error) {
        return failAll(batch, error);
      }
    };
    port.on("message", (first: readonly NumberedTask[] | "close") => {
      const batch: NumberedTask[] = [];
      for (let next: typeof first | undefined = first; next !== undefined; next = receiveMessageOnPort(port)?.message) {
        if (next === "close") {
          if (batch.length > 0) report(write(batch));
          if (files.areThere) emptyLog(connection);
          connection.close();
          port.close();
          return;
        }
        batch.push(...next);
        if (batch.length >= MAX_BATCH) break;
      }
      report(write(batch));
    });
    report({ report: "ready" });
  } catch (error) {
    report({ report: "failed", error: toPlainError(fromSqliteError(error)) });
  }
}

/** A reader of another process that is just looking is waited for this long; then the log stays as it is. */
const LAST_WAIT_MS = 250;

/** Moves everything into the file itself, so that the file alone is the whole store. */
function emptyLog(connection: Connection): void {
  try {
    connection.exec(`pragma busy_timeout = ${LAST_WAIT_MS}`);
    connection.exec("pragma wal_checkpoint(truncate)");
  } catch {
    // Nothing is lost: the process that opens the file next reads its log.
  }
}

// Started by `writer-client.ts` with these options.
work(workerData as WriterOptions);
