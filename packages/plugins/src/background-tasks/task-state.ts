import type { ChildStatus } from "@reprise/contracts";
import { type ActionCreators, defineState, type StateDefinition } from "@reprise/state";
import { boundRuns } from "../runs-below/known-runs.ts";

/** A call in the background, as its thread remembers it. */
export type BackgroundTask = { readonly tool: string; readonly status: ChildStatus; readonly error?: string };

/** The calls that a thread has had run in the background, by the ids of their runs. */
export type BackgroundTasks = { readonly tasks: { readonly [taskId: string]: BackgroundTask } };

export const taskState: StateDefinition<BackgroundTasks> &
  ActionCreators<{ note: [taskId: string, task: BackgroundTask] }> = defineState({
  path: "background_tasks",
  initial: (): BackgroundTasks => ({ tasks: {} }),
  actions: {
    note: ({ tasks }, taskId: string, task: BackgroundTask) => ({ tasks: boundRuns({ ...tasks, [taskId]: task }) }),
  },
});
