import type { Contestant } from "./contestant.ts";
import { COMMITS_PER_RUN } from "./load/play-run.ts";
import { runAll } from "./measure/throughput.ts";

const RUNS = 6;

/** Throws unless a contestant kept what it was to keep: every run, and each in as many transactions as it is. */
export async function verify(contestant: Contestant): Promise<void> {
  const runner = await contestant.open(3);
  try {
    await runAll(runner, 3, RUNS);
    const kept = await runner.countKept();
    const isRight = contestant.keepsMore === true ? kept >= RUNS * COMMITS_PER_RUN : kept === RUNS * COMMITS_PER_RUN;
    if (!isRight) throw new Error(`${contestant.name} kept ${kept} transactions of ${RUNS} runs.`);
  } finally {
    await runner.close();
  }
}
