import type { StoreSignal } from "@reprise/contracts";
import type { Connection } from "./connection.ts";

/** How many notes are kept for other processes. One that looks less often than this misses some, and looks for itself. */
const KEPT = 200;

/** Leaves a note of what happened for other processes, in the transaction in which it happened. */
export function keepSignals(connection: Connection, signals: readonly StoreSignal[], writer: number): void {
  if (signals.length === 0) return;
  connection.run("insert into signals (writer, signals) values (:writer, :signals)", {
    writer,
    signals: JSON.stringify(signals),
  });
}

/** Drops notes that everybody had the time to read. The newest stays: the next one's number follows from it. */
export function trimSignals(connection: Connection): void {
  connection.run("delete from signals where number <= (select max(number) from signals) - :kept", { kept: KEPT });
}

/** The number of the newest note. */
export function lastSignal(connection: Connection): number {
  return connection.get<{ readonly number: number | null }>("select max(number) as number from signals")?.number ?? 0;
}

/** What others than this writer did since a note. */
export function readSignals(connection: Connection, after: number, writer: number): readonly StoreSignal[] {
  const rows = connection.all<{ readonly signals: string }>(
    "select signals from signals where number > :after and writer <> :writer order by number",
    { after, writer },
  );
  // Written by `keepSignals`.
  return rows.flatMap(({ signals }) => JSON.parse(signals) as StoreSignal[]);
}
