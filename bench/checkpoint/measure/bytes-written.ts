import { existsSync, readFileSync } from "node:fs";
import { execute } from "../postgres/schemas.ts";

/** Reads a count of bytes that only rises; differences of it are bytes written meanwhile. */
export type BytesMeter = () => Promise<number>;

const COUNTERS = "/proc/self/io";

/** Bytes this process gave to the operating system to write, all of its threads: SQLite's log and what is copied from it into the file. */
export const processMeter: BytesMeter = async () => {
  if (!existsSync(COUNTERS)) return Number.NaN;
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(COUNTERS, "utf8"))?.[1]);
};

/** Bytes in the write-ahead log of a Postgres server, of all clients. */
export function postgresMeter(url: string): BytesMeter {
  return async () => {
    const [row] = await execute(url, "select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes");
    return Number(row?.bytes);
  };
}
