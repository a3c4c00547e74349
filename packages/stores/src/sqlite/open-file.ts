import { RepriseError } from "@reprise/contracts";
import { Connection } from "./connection.ts";
import type { OpenedFiles } from "./opened-files.ts";
import { makePrivate } from "./private-file.ts";
import { SCHEMA_STEPS } from "./schema.ts";

/** Written into every file of ours, so that no other database is mistaken for one. */
const APPLICATION_ID = 0x52_65_70_72;

/** Enough for the inner pages of every index of a large file. SQLite's own choice, 2 MB, would read them again and again. */
const CACHE_KIB = 32_768;

/**
 * Half of SQLite's own choice. A commit changes a few bytes on each of a dozen pages, and whole pages go to the log: pages of
 * 4 KiB wrote 193 kB a run, these 108 kB. Smaller ones would cut ordinary rows into pieces.
 */
const PAGE_BYTES = 2_048;

/** 16 MB. Pages that change often are copied into the file once for many transactions. */
const CHECKPOINT_PAGES = 8_000;

/**
 * Opens a file for writing and brings its tables up to date. WAL lets readers continue while something is written, and FULL flushes
 * the log with every transaction: what was answered survives a power cut.
 */
export function openFile(file: string, { busyTimeoutMs }: { readonly busyTimeoutMs: number }): Connection {
  makePrivate(file);
  const connection = new Connection(file);
  try {
    connection.exec(`pragma busy_timeout = ${busyTimeoutMs}`);
    connection.exec(`pragma page_size = ${PAGE_BYTES}`);
    connection.exec("pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory");
    connection.exec(`pragma cache_size = -${CACHE_KIB}; pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
    migrate(connection, file);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

/** A reader of a WAL waits only for a process that is recovering it. */
const READ_TIMEOUT_MS = 250;

/** Opens a file for reading. Another process has opened it for writing before, so its tables are there. */
export function openFileForReading(file: string, files: OpenedFiles): Connection {
  const connection = new Connection(file, { readOnly: true, before: () => files.glance() });
  connection.exec(`pragma busy_timeout = ${READ_TIMEOUT_MS}`);
  return connection;
}

function migrate(connection: Connection, file: string): void {
  if (stepOf(connection, file) === SCHEMA_STEPS.length) return;
  connection.exec("begin immediate");
  try {
    // Another process may have been quicker.
    const done = stepOf(connection, file);
    for (const step of SCHEMA_STEPS.slice(done)) connection.exec(step);
    connection.exec(`pragma user_version = ${SCHEMA_STEPS.length}; pragma application_id = ${APPLICATION_ID}`);
    connection.exec("commit");
  } catch (error) {
    connection.exec("rollback");
    throw error;
  }
}

/** How many steps of the schema a file has behind it. */
function stepOf(connection: Connection, file: string): number {
  const step = Number(connection.get("pragma user_version")?.user_version ?? 0);
  const application = Number(connection.get("pragma application_id")?.application_id ?? 0);
  const tables = Number(connection.get("select count(*) as count from sqlite_schema")?.count ?? 0);
  if (application !== APPLICATION_ID && (step > 0 || tables > 0)) {
    throw new RepriseError("INVALID_REQUEST", `The file ${file} is a database of something else.`);
  }
  if (step > SCHEMA_STEPS.length) {
    const message = `The file ${file} was written by a newer version: its schema is ${step}, this one knows ${SCHEMA_STEPS.length}.`;
    throw new RepriseError("FORMAT_TOO_NEW", message, {
      details: { schema: step, supported: SCHEMA_STEPS.length },
    });
  }
  return step;
}
