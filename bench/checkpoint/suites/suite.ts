import type { Contestant } from "../contestant.ts";
import type { BytesReport } from "../measure/bytes.ts";
import type { LoadReport } from "../measure/cold-load.ts";
import type { LoopReport } from "../measure/event-loop.ts";
import type { Latency } from "../measure/latency.ts";
import type { StatementReport } from "../measure/statements.ts";
import type { LengthReport } from "../measure/thread-length.ts";
import type { Throughput } from "../measure/throughput.ts";

/** Everything that was measured of one kind of store. */
export interface Suite {
  readonly title: string;
  readonly contestants: readonly Contestant[];
  readonly throughput: readonly Throughput[];
  readonly statements: readonly StatementReport[];
  readonly latency: readonly Latency[];
  readonly loop: readonly LoopReport[];
  readonly length: readonly LengthReport[];
  readonly load: readonly LoadReport[];
  readonly bytes: readonly BytesReport[];
}

/** In the order in which they are measured. */
export const SUITES = ["sqlite", "postgres", "others"] as const;

/** Those that were measured. */
export type Suites = { [Name in (typeof SUITES)[number]]?: Suite };

/** How many runs at a time. */
export const CONCURRENCIES: readonly number[] = [1, 20];

/** Says what is being done. */
export type Progress = (line: string) => void;
