/** How much of everything. */
export interface Effort {
  /** Whole runs of each worker process in a round, and how many rounds. */
  readonly runs: number;
  readonly rounds: number;
  /** Runs that wait in mailboxes before the workers start. */
  readonly queued: number;
  /** Runs of a process that is killed, and how often. */
  readonly killedRuns: number;
  readonly kills: number;
  readonly waiting: number;
  readonly threads: number;
  /** Operations of which p50 and p99 are taken. */
  readonly samples: number;
}

export const FULL_EFFORT: Effort = {
  runs: 1_000,
  rounds: 3,
  queued: 1_000,
  killedRuns: 200,
  kills: 3,
  waiting: 5_000,
  threads: 20_000,
  samples: 500,
};

export const QUICK_EFFORT: Effort = {
  runs: 60,
  rounds: 1,
  queued: 60,
  killedRuns: 20,
  kills: 1,
  waiting: 100,
  threads: 300,
  samples: 30,
};
