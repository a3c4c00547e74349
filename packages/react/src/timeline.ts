import type { AgentEvent } from "@reprise/contracts";

/** Something that took time in a run. */
export interface TimelineRow {
  readonly id: string;
  /** `wait`: the run needed a decision. */
  readonly kind: "step" | "model" | "tool" | "wait";
  readonly name: string;
  readonly startMs: number;
  /** Absent while it goes on. */
  readonly endMs?: number;
  readonly status: "running" | "done" | "failed" | "waiting";
  readonly costMicrocents?: number;
}

/** A run as rows over time. */
export interface Timeline {
  readonly rows: readonly TimelineRow[];
  readonly status: "queued" | "running" | "waiting" | "done" | "failed" | "cancelled";
  readonly startMs?: number;
  readonly endMs?: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costMicrocents: number;
}

export const EMPTY_TIMELINE: Timeline = {
  rows: [],
  status: "queued",
  inputTokens: 0,
  outputTokens: 0,
  costMicrocents: 0,
};

/** The timeline after one more event of the run. */
export function addToTimeline(timeline: Timeline, event: AgentEvent): Timeline {
  const { timestamp_ms: now } = event;
  switch (event.type) {
    case "run_start":
      return { ...timeline, status: "running", startMs: timeline.startMs ?? now };
    case "step_start": {
      const name = `Step ${timeline.rows.filter(({ kind }) => kind === "step").length + 1}`;
      return put(timeline, { id: event.step_id ?? name, kind: "step", name, startMs: now, status: "running" });
    }
    case "step_end":
      return change(timeline, event.step_id ?? "", { endMs: now, status: "done" });
    case "inference_complete": {
      const { model, usage, duration_ms } = event.data;
      const row = { kind: "model", name: model, startMs: now - duration_ms, endMs: now, status: "done" } as const;
      const counted = put(timeline, { id: `${event.step_id}-model-${event.seq}`, ...row });
      return {
        ...counted,
        inputTokens: timeline.inputTokens + (usage?.prompt_tokens ?? 0),
        outputTokens: timeline.outputTokens + (usage?.completion_tokens ?? 0),
      };
    }
    case "cost_recorded":
      return { ...timeline, costMicrocents: event.data.run_cost_microcents };
    case "tool_call_ready":
      return put(timeline, { id: event.data.id, kind: "tool", name: event.data.name, startMs: now, status: "running" });
    case "tool_call_done": {
      const { id, result, suspended } = event.data;
      if (suspended === undefined) {
        const status = result.status === "error" ? "failed" : "done";
        return change(change(timeline, id, { endMs: now, status }), `${id}-wait`, { endMs: now, status });
      }
      const waiting = change(timeline, id, { status: "waiting" });
      return put(waiting, { id: `${id}-wait`, kind: "wait", name: result.tool_name, startMs: now, status: "waiting" });
    }
    case "tool_call_resumed": {
      const { target_id: id } = event.data;
      return change(change(timeline, id, { status: "running" }), `${id}-wait`, { endMs: now, status: "done" });
    }
    case "run_finish": {
      const { termination } = event.data;
      if (termination.type === "suspended") return { ...timeline, status: "waiting" };
      const status = termination.type === "error" ? "failed" : termination.type === "cancelled" ? "cancelled" : "done";
      const rows = timeline.rows.map((row) =>
        row.endMs === undefined ? { ...row, endMs: now, status: "failed" as const } : row,
      );
      return { ...timeline, rows, status, endMs: now };
    }
    default:
      return timeline;
  }
}

function put(timeline: Timeline, row: TimelineRow): Timeline {
  const rows = timeline.rows.filter(({ id }) => id !== row.id);
  return { ...timeline, rows: [...rows, row] };
}

function change(timeline: Timeline, id: string, changed: Partial<TimelineRow>): Timeline {
  return { ...timeline, rows: timeline.rows.map((row) => (row.id === id ? { ...row, ...changed } : row)) };
}
