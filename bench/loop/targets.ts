import { BARE } from "./contestants/bare.ts";
import { REPRISE } from "./contestants/reprise.ts";
import { bytesPerRun, type HeapPoint } from "./heap.ts";
import type { Paired } from "./paired.ts";
import { costOf, rowOf, rowsOf } from "./results.ts";
import type { LengthResult } from "./thread-length.ts";

/** One thing we promised. */
export interface TargetRow {
  readonly title: string;
  readonly value: number;
  readonly required: number;
  readonly unit: string;
  readonly isMet: boolean;
}

const MOST_COST = 10;
/** The store keeps a deleted thread's id and last epoch, to fence off a late owner: about 100 bytes. */
const MOST_BYTES_PER_RUN = 200;
const MOST_LENGTH_RATIO = 1.5;

export function checkTargets(
  measurements: readonly Paired[],
  concurrencies: readonly number[],
  heap: readonly HeapPoint[],
  lengths: readonly LengthResult[],
): readonly TargetRow[] {
  const costs = concurrencies.map((concurrency) => {
    const rows = rowsOf(measurements, concurrency);
    const cost = costOf(rowOf(rows, REPRISE));
    return toRow(`CPU per run against the ${BARE}, ${concurrency} at a time`, cost, MOST_COST, "x");
  });
  const longest = lengths.at(-1);
  if (longest === undefined) throw new Error("No thread was measured.");
  return [
    ...costs,
    toRow("Growth of the heap per run, thread deleted", bytesPerRun(heap), MOST_BYTES_PER_RUN, " bytes"),
    toRow(
      `CPU until the model is asked, ${longest.messages} messages against ${lengths[0]?.messages}`,
      longest.toModelRatio,
      MOST_LENGTH_RATIO,
      "x",
    ),
  ];
}

function toRow(title: string, value: number, required: number, unit: string): TargetRow {
  return { title, value, required, unit, isMet: value <= required };
}
