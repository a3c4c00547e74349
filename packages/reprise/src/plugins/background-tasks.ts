export type { BackgroundTask, BackgroundTasks, BackgroundTasksOptions } from "@reprise/plugins/background-tasks";
export { backgroundTasks, taskState } from "@reprise/plugins/background-tasks";
