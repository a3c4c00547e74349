import { Cron } from "croner";

/** The times of a cron expression. All times are in milliseconds since 1970. */
export interface CronTimes {
  /** The first time after one; undefined when there is none. */
  next(after: number): number | undefined;
  /** The last time that is not after one. */
  latest(until: number): number | undefined;
}

/** Throws when the expression or the time zone is none. UTC unless a zone is given, so that every process has the same times. */
export function cronTimes(expression: string, timezone: string = "UTC"): CronTimes {
  const cron = new Cron(expression, { timezone, paused: true });
  return {
    next: (after) => cron.nextRun(new Date(after))?.getTime(),
    // A reference is not among its own previous times.
    latest: (until) => cron.previousRuns(1, new Date(Math.floor(until / 1_000) * 1_000 + 1_000))[0]?.getTime(),
  };
}

/** Why a schedule never fires: its expression or its time zone is none, or no time fits it. */
export function findScheduleProblem(expression: string, timezone?: string): string | undefined {
  try {
    return cronTimes(expression, timezone).next(0) === undefined ? "no time fits it" : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
