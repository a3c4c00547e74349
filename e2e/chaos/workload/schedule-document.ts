import type { WorkflowDocument } from "@reprise/workflow";

/** The workflow that a schedule starts. */
export const SCHEDULED_AGENT = "tick";

/** Between two times of the schedule. */
export const SCHEDULE_MS = 3_000;

/** Longer than a round takes: every time that was missed is made up for. */
export const SCHEDULE_WINDOW_MS = 3_600_000;

export const SCHEDULE_DOCUMENT: WorkflowDocument = {
  schema_version: "1.0",
  workflow: {
    id: SCHEDULED_AGENT,
    trigger: { type: "schedule", cron: `*/${SCHEDULE_MS / 1_000} * * * * *` },
    nodes: [{ id: "record", type: "tool", tool: "post", arguments: { n: 1, pause_ms: 5 } }],
  },
};

const THREAD = `schedule:${SCHEDULED_AGENT}:`;

/** The time of the schedule that a thread is for; undefined for any other thread. */
export function scheduledTime(threadId: string): number | undefined {
  return threadId.startsWith(THREAD) ? Date.parse(threadId.slice(THREAD.length)) : undefined;
}
