import { existsSync } from "node:fs";
import type { Env } from "@reprise/contracts";
import { openSchedules, type SchedulesOptions } from "@reprise/server";
import { SCHEDULE_WINDOW_MS } from "../workload/schedule-document.ts";

/** How often it is looked whether schedules are over. */
const LOOK_EVERY_MS = 100;

/** Fires schedules until there is a file that says it is enough: otherwise a round would never come to rest. */
export function serveSchedules(
  runtime: SchedulesOptions["runtime"],
  { clock, log }: Pick<Env, "clock" | "log">,
  over: string,
): void {
  if (existsSync(over)) return;
  const schedules = openSchedules({ runtime, clock, log, windowMs: SCHEDULE_WINDOW_MS });
  const looking = setInterval(() => {
    if (!existsSync(over)) return;
    schedules.close();
    clearInterval(looking);
  }, LOOK_EVERY_MS);
}
