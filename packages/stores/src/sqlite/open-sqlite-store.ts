import { randomInt } from "node:crypto";
import type { BlobStore, Clock, Store } from "@reprise/contracts";
import type { BlobObjects } from "../shell/blob-objects.ts";
import { sweepBlobs } from "../shell/blob-sweep.ts";
import { createDurableStore } from "../shell/create-durable-store.ts";
import { withBlobs } from "../shell/with-blobs.ts";
import type { Connection } from "./connection.ts";
import { explainPath } from "./explain-path.ts";
import { openFileForReading } from "./open-file.ts";
import { type OpenedFiles, openedDatabase } from "./opened-files.ts";
import { SignalBoard } from "./signal-board.ts";
import { createSqliteBlobRows } from "./sqlite-blob-store.ts";
import { SqliteDriver } from "./sqlite-driver.ts";
import { SqliteWorkers } from "./sqlite-workers.ts";
import { WriterClient } from "./writer-client.ts";

export interface SqliteStoreOptions {
  /** Created when it is missing; its folder must exist. Beside it SQLite keeps `-wal` and `-shm`, and the store `-worker-1` and so on. */
  readonly file: string;
  /** The store's clock; the system's unless given. For tests. */
  readonly clock?: Pick<Clock, "now">;
  /** How long to wait for another process that writes. 5 s. */
  readonly busyTimeoutMs?: number;
  /** Where the bytes of larger blobs are, as `s3(…)` of `@reprise/stores/s3`. In the file unless given. */
  readonly blobs?: BlobObjects;
  /** How often to poll for writes of other processes while there are watchers. 100 ms. */
  readonly pollMs?: number;
}

/** A store in one SQLite file, and its blobs. */
export interface SqliteStore extends Store {
  readonly blobs: BlobStore;
}

/** Opens a store in a SQLite file. Several processes may open it, and each claims the work it is able to do. */
export async function openSqliteStore({
  file,
  clock = { now: Date.now },
  busyTimeoutMs = 5_000,
  pollMs = 100,
  blobs: objects,
}: SqliteStoreOptions): Promise<SqliteStore> {
  const writerId = randomInt(2 ** 40);
  const now = (): number => clock.now();
  let board: SignalBoard | undefined;
  const writing = WriterClient.open({ file, busyTimeoutMs, writer: writerId }, (signals) => board?.tell(signals));
  const writer = await writing.catch((error: unknown) => {
    throw explainPath("file", file, error);
  });
  const files = openedDatabase(file);
  const connection = await openReader(file, files, writer);
  board = new SignalBoard(connection, writerId, pollMs);
  const workers = new SqliteWorkers({ file, connection, now, write: (task) => writer.do(task) });
  const store = createDurableStore(new SqliteDriver({ now, writer, connection, workers, board, files }));
  const rows = createSqliteBlobRows({ connection, now, write: (task) => writer.do<boolean>(task) });
  try {
    await objects?.check();
  } catch (error) {
    await store.close();
    throw error;
  }
  await sweepBlobs(rows, objects);
  return withBlobs(store, { rows, objects, now });
}

/** Short for `openSqliteStore`: `createRuntime({ agents, store: await sqlite("app.db") })`. */
export function sqlite(file: string, options: Omit<SqliteStoreOptions, "file"> = {}): Promise<SqliteStore> {
  return openSqliteStore({ ...options, file });
}

async function openReader(file: string, files: OpenedFiles, writer: WriterClient): Promise<Connection> {
  try {
    return openFileForReading(file, files);
  } catch (error) {
    await writer.close();
    throw error;
  }
}
