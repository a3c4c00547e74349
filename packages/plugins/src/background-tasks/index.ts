export type { BackgroundTasksOptions } from "./background-tasks.ts";
export { backgroundTasks } from "./background-tasks.ts";
export type { BackgroundTask, BackgroundTasks } from "./task-state.ts";
export { taskState } from "./task-state.ts";
