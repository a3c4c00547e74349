import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { openFile } from "./open-file.ts";
import { fromSqliteError } from "./sqlite-errors.ts";
import { toPlainError, writeBatch } from "./writer.ts";
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
    port.on("message", (first: readonly NumberedTask[] | "close") => {
      const batch: NumberedTask[] = [];
      for (let next: typeof first | undefined = first; next !== undefined; next = receiveMessageOnPort(port)?.message) {
        if (next === "close") {
          if (batch.length > 0) report(writeBatch(connection, batch, writer));
          connection.close();
          port.close();
          return;
        }
        batch.push(...next);
        if (batch.length >= MAX_BATCH) break;
      }
      report(writeBatch(connection, batch, writer));
    });
    report({ report: "ready" });
  } catch (error) {
    report({ report: "failed", error: toPlainError(fromSqliteError(error)) });
  }
}

// Started by `writer-client.ts` with these options.
work(workerData as WriterOptions);
