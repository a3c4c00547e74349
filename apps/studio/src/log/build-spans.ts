import type { AgentEvent } from "@reprise/contracts";

/** What a span is about; its colour. */
export type SpanKind = "step" | "attempt" | "tool" | "wait" | "run";

/** A stretch of time in a run, or in one below it. */
export interface Span {
  readonly id: string;
  readonly kind: SpanKind;
  readonly label: string;
  readonly lane: string;
  /** How many runs above this one started each other. */
  readonly depth: number;
  readonly from: number;
  readonly to: number;
  /** When the model began to speak. */
  readonly firstToken?: number;
  readonly isFailed: boolean;
  readonly isOpen: boolean;
  readonly seq: number;
  readonly costMicrocents?: number;
  readonly tokens?: number;
  readonly runId: string;
  /** The number of the step, for the work of a model. */
  readonly step?: number;
  /** The call, for the work of a tool and for waits. */
  readonly callId?: string;
  readonly tool?: string;
  /** The call of the run above that started this run. */
  readonly parentCallId?: string;
  readonly parentRunId?: string;
}

interface Lane {
  readonly lane: string;
  readonly depth: number;
  readonly start: AgentEvent;
  step: { readonly event: AgentEvent; firstToken: number | undefined; cost: number; tokens: number } | undefined;
  readonly calls: Map<string, { readonly name: string; from: number; suspendedAt: number | undefined }>;
  steps: number;
  isOver: boolean;
}

/** The spans of a run and of all runs below it, in the order in which they began; each run has a lane of its own. */
export function buildSpans(events: readonly AgentEvent[], agentId: string): readonly Span[] {
  const spans: Span[] = [];
  const lanes = new Map<string, Lane>();
  let end = 0;
  const laneOf = (event: AgentEvent): Lane => {
    const known = lanes.get(event.run_id);
    if (known !== undefined) return known;
    const { lineage } = event;
    const lane: Lane = {
      lane: lineage?.agent_id ?? agentId,
      depth: lineage?.depth ?? 0,
      start: event,
      step: undefined,
      calls: new Map(),
      steps: 0,
      isOver: false,
    };
    lanes.set(event.run_id, lane);
    return lane;
  };
  const add = (
    lane: Lane,
    event: AgentEvent,
    span: Pick<Span, "kind" | "label" | "from" | "to"> & Partial<Span>,
  ): void => {
    spans.push({
      id: `${event.run_id}-${spans.length}`,
      lane: lane.lane,
      depth: lane.depth,
      isFailed: false,
      isOpen: false,
      seq: event.seq ?? 0,
      runId: event.run_id,
      ...(lane.start.lineage !== undefined && {
        parentCallId: lane.start.lineage.call_id,
        parentRunId: lane.start.lineage.parent_run_id,
      }),
      ...span,
    });
  };
  for (const event of events) {
    const lane = laneOf(event);
    const now = event.timestamp_ms;
    end = Math.max(end, now);
    switch (event.type) {
      case "step_start":
        lane.steps += 1;
        lane.step = { event, firstToken: undefined, cost: 0, tokens: 0 };
        break;
      case "text_delta":
      case "reasoning_delta":
      case "tool_call_start":
        if (lane.step !== undefined) lane.step.firstToken ??= now;
        if (event.type === "tool_call_start")
          lane.calls.set(event.data.id, { name: event.data.name, from: now, suspendedAt: undefined });
        break;
      case "tool_call_ready": {
        const call = lane.calls.get(event.data.id);
        if (call !== undefined) call.from = now;
        break;
      }
      case "cost_recorded":
        if (lane.step !== undefined) lane.step.cost += event.data.cost_microcents;
        break;
      case "inference_complete":
        if (lane.step !== undefined)
          lane.step.tokens = (event.data.usage?.prompt_tokens ?? 0) + (event.data.usage?.completion_tokens ?? 0);
        break;
      case "model_routed":
        for (const attempt of event.data.chain) {
          if (attempt.started_ms === undefined || lane.step === undefined) continue;
          const from = lane.step.event.timestamp_ms + attempt.started_ms;
          const isFailed = attempt.outcome === "failed";
          // One attempt that succeeded is the step itself.
          if (event.data.chain.length === 1 && !isFailed) continue;
          add(lane, event, {
            kind: "attempt",
            step: lane.steps,
            label: `${attempt.model}${attempt.error === undefined ? "" : `: ${attempt.error.replaceAll("_", " ")}`}`,
            from,
            to: from + (attempt.duration_ms ?? 0),
            isFailed,
          });
        }
        break;
      case "step_end":
        if (lane.step !== undefined)
          add(lane, event, {
            kind: "step",
            label: `Step ${lane.steps}`,
            step: lane.steps,
            from: lane.step.event.timestamp_ms,
            to: now,
            costMicrocents: lane.step.cost,
            tokens: lane.step.tokens,
            ...(lane.step.firstToken !== undefined && { firstToken: lane.step.firstToken }),
          });
        lane.step = undefined;
        break;
      case "tool_call_resumed": {
        const call = lane.calls.get(event.data.target_id);
        if (call?.suspendedAt === undefined) break;
        add(lane, event, {
          kind: "wait",
          label: `${call.name} waited`,
          callId: event.data.target_id,
          from: call.suspendedAt,
          to: now,
        });
        call.suspendedAt = undefined;
        call.from = now;
        break;
      }
      case "tool_call_done": {
        const call = lane.calls.get(event.data.id) ?? {
          name: event.data.result.tool_name,
          from: now,
          suspendedAt: undefined,
        };
        lane.calls.set(event.data.id, call);
        if (event.data.outcome === "suspended") {
          call.suspendedAt = now;
          break;
        }
        if (call.suspendedAt !== undefined)
          add(lane, event, {
            kind: "wait",
            label: `${call.name} waited`,
            callId: event.data.id,
            from: call.suspendedAt,
            to: now,
          });
        add(lane, event, {
          kind: "tool",
          label: call.name,
          tool: call.name,
          callId: event.data.id,
          from: call.from,
          to: now,
          isFailed: event.data.outcome !== "succeeded",
        });
        lane.calls.delete(event.data.id);
        break;
      }
      case "run_finish":
        lane.isOver = event.data.termination.type !== "suspended";
        if (lane.isOver && lane.depth > 0)
          add(lane, event, {
            kind: "run",
            label: lane.lane,
            from: lane.start.timestamp_ms,
            to: now,
            isFailed: event.data.termination.type === "error",
          });
        break;
      default:
    }
  }
  for (const lane of lanes.values()) {
    if (lane.isOver) continue;
    for (const [callId, call] of lane.calls) {
      const isWaiting = call.suspendedAt !== undefined;
      const from = call.suspendedAt ?? call.from;
      add(lane, lane.start, {
        kind: isWaiting ? "wait" : "tool",
        label: isWaiting ? `${call.name} waits` : call.name,
        callId,
        tool: call.name,
        from,
        to: end,
        isOpen: true,
      });
    }
    if (lane.step !== undefined)
      add(lane, lane.step.event, {
        kind: "step",
        label: `Step ${lane.steps}`,
        step: lane.steps,
        from: lane.step.event.timestamp_ms,
        to: end,
        isOpen: true,
      });
  }
  return spans.sort((one, other) => one.from - other.from || other.to - one.to);
}
