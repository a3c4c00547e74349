import type { Contestant } from "../contestant.ts";
import { LOG_STATEMENTS, startServer } from "../postgres/start-server.ts";
import { countStatements, type StatementCount, totalExecutions } from "../postgres/statement-log.ts";
import type { Effort } from "./effort.ts";
import { runAll } from "./throughput.ts";

/** How many statements the server executed for a run of a contestant. */
export interface StatementReport {
  readonly contestant: string;
  readonly concurrency: number;
  readonly perRun: number;
  /** By text; the most frequent first. */
  readonly counts: readonly StatementCount[];
}

const WARM_UP_RUNS = 20;
const CONCURRENCIES: readonly number[] = [1, 20];

/** Counts on a server of its own, which logs every statement and is therefore slow. */
export async function measureStatements(
  contestantsOn: (url: string) => readonly Contestant[],
  { countedRuns }: Effort,
): Promise<readonly StatementReport[]> {
  const server = await startServer(LOG_STATEMENTS);
  try {
    const reports: StatementReport[] = [];
    for (const contestant of contestantsOn(server.url)) {
      for (const concurrency of CONCURRENCIES) {
        const runner = await contestant.open(concurrency);
        await runAll(runner, concurrency, WARM_UP_RUNS);
        const counts = await countStatements(server, () => runAll(runner, concurrency, countedRuns));
        await runner.close();
        const perRun = totalExecutions(counts) / countedRuns;
        reports.push({ contestant: contestant.name, concurrency, perRun, counts });
      }
    }
    return reports;
  } finally {
    await server.stop();
  }
}
