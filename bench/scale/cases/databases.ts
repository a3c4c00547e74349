import type { Effort } from "../effort.ts";
import type { MakePlace, Places } from "../places.ts";
import { median } from "../statistics.ts";
import { runOwn } from "./workers.ts";

/** What two worker processes do on a store of so many databases, all of one server. */
export interface DatabasesReport {
  readonly databases: number;
  readonly rate: number;
  /** CPU milliseconds a run, of the processes together. */
  readonly cpuMs: number;
}

const WORKERS = 2;

export async function measureDatabases(places: Places, effort: Effort): Promise<readonly DatabasesReport[]> {
  const made: (readonly [number, MakePlace])[] = [
    [1, places.Postgres],
    [2, await places.severalDatabases(2)],
  ];
  const reports: DatabasesReport[] = [];
  for (const [databases, makePlace] of made) {
    const rounds = [];
    for (let round = 0; round < effort.rounds; round += 1) rounds.push(await runOwn(makePlace, WORKERS, effort.runs));
    const rate = median(rounds.map((one) => one.rate));
    reports.push({ databases, rate, cpuMs: median(rounds.map((one) => one.cpuMs)) });
  }
  return reports;
}
