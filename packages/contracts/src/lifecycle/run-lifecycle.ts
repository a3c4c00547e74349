import { illegalTransition } from "../errors/reprise-error.ts";
import { nextStatus, type TransitionTable } from "./transition-table.ts";

/** `waiting`: every open call waits for a decision and no worker holds the run. `done` is the end, whatever the reason. */
export type RunStatus = "running" | "waiting" | "done";

export type RunTrigger = "suspend" | "resume" | "finish";

export const RUN_TRANSITIONS: TransitionTable<RunStatus, RunTrigger> = {
  running: { suspend: "waiting", finish: "done" },
  waiting: { resume: "running", finish: "done" },
  done: {},
};

/** Moves a run along its table. Pure: returns a new record or throws `ILLEGAL_TRANSITION`. */
export function advanceRun<Run extends { readonly run_id: string; readonly status: RunStatus }>(
  run: Run,
  trigger: RunTrigger,
): Run {
  const status = nextStatus(RUN_TRANSITIONS, run.status, trigger);
  if (status === undefined) throw illegalTransition("run", run.run_id, run.status, trigger);
  return { ...run, status };
}
