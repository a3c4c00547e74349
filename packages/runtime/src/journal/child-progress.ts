import type { AgentEvent, ChildProgressFact, ChildStatus, RunRecord, Termination } from "@reprise/contracts";

/** How a run below stands. */
export interface Progress extends Omit<ChildProgressFact, "id" | "child_run_id" | "agent_id"> {
  /** Events up to this one are counted. */
  readonly seq: number;
}

/** Where the progress of a run begins: at nothing, or at what its record says. */
export function startProgress(run?: RunRecord): Progress {
  const { steps = 0, input_tokens = 0, output_tokens = 0, cost_microcents, last_seq = 0 } = run ?? {};
  return {
    status: "running",
    step: steps,
    input_tokens,
    output_tokens,
    ...(cost_microcents !== undefined && { cost_microcents }),
    seq: last_seq,
  };
}

/** The progress after one more event of the run. Pure; returns the same object when the event changes nothing. */
export function advanceProgress(progress: Progress, event: AgentEvent): Progress {
  const { status } = progress;
  const awake = status === "waiting" ? ({ ...progress, status: "running" } as const) : progress;
  switch (event.type) {
    case "step_start":
      return { ...withoutTool(awake), step: stepOf(event) ?? awake.step };
    case "tool_call_ready":
      return { ...awake, tool: event.data.name };
    case "tool_call_done":
      return withoutTool(awake);
    case "inference_complete": {
      if ((event.seq ?? 0) <= progress.seq) return awake;
      const { prompt_tokens = 0, completion_tokens = 0 } = event.data.usage ?? {};
      const [input_tokens, output_tokens] = [
        awake.input_tokens + prompt_tokens,
        awake.output_tokens + completion_tokens,
      ];
      return { ...awake, input_tokens, output_tokens };
    }
    case "cost_recorded":
      return { ...awake, cost_microcents: event.data.run_cost_microcents };
    case "run_finish":
      return { ...withoutTool(awake), status: statusAfter(event.data.termination) };
    default:
      return awake;
  }
}

function withoutTool(progress: Progress): Progress {
  const { tool, ...rest } = progress;
  return tool === undefined ? progress : rest;
}

function stepOf({ step_id }: AgentEvent): number | undefined {
  const [, step] = /-s(\d+)$/.exec(step_id ?? "") ?? [];
  return step === undefined ? undefined : Number(step);
}

function statusAfter({ type }: Termination): ChildStatus {
  switch (type) {
    case "suspended":
      return "waiting";
    case "error":
      return "failed";
    case "cancelled":
      return "stopped";
    case "natural_end":
    case "behavior_requested":
    case "stopped":
      return "completed";
    default:
      return type satisfies never;
  }
}
