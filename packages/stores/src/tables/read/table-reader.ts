import type { RowReader } from "../../shell/row-reader.ts";
import type { ReadPorts } from "./find-thread.ts";
import { createRunReads } from "./read-runs.ts";
import { createThreadReads } from "./read-threads.ts";

/** All reads of a store whose rows are in tables. */
export function createTableReader(ports: ReadPorts): RowReader {
  return { ...createThreadReads(ports), ...createRunReads(ports) };
}
