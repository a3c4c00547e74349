import type { AgentEvent } from "@reprise/contracts";
import type { ReactNode } from "react";
import { JsonTree } from "../../components/json-tree.tsx";
import { ModelCalls } from "../../components/model-calls.tsx";
import type { Span } from "../../log/build-spans.ts";
import { IconButton } from "../../parts/button.tsx";
import { formatCost, formatCount, formatDuration } from "../../parts/format.ts";

interface SpanDetailsProps {
  readonly span: Span;
  readonly events: readonly AgentEvent[];
  readonly close: () => void;
}

/** What lies behind a bar of the waterfall: the exact request and response of a model, or the events of a call. */
export function SpanDetails({ span, events, close }: SpanDetailsProps): ReactNode {
  const { label, lane, from, to, firstToken, tokens = 0, costMicrocents = 0, step, callId, runId } = span;
  const facts = [
    formatDuration(to - from),
    firstToken === undefined ? "" : `first token after ${formatDuration(firstToken - from)}`,
    tokens > 0 ? `${formatCount(tokens)} tokens` : "",
    costMicrocents > 0 ? formatCost(costMicrocents) : "",
  ].filter(Boolean);
  const own = callId === undefined ? [] : events.filter((event) => event.run_id === runId && isAbout(event, callId));
  const routed =
    step === undefined
      ? []
      : events.filter(
          (event) => event.type === "model_routed" && event.run_id === runId && event.step_id === `${runId}-s${step}`,
        );
  return (
    <section aria-label={`Details of ${label}`} className="flex flex-col gap-3 border-t border-line px-3 py-2.5">
      <header className="flex items-center gap-3">
        <h3 className="font-semibold">
          {span.depth > 0 && <span className="text-faint">{lane} · </span>}
          {label}
        </h3>
        <p className="min-w-0 flex-1 truncate text-sm text-faint tabular-nums">{facts.join(" · ")}</p>
        <IconButton icon="cross" label="Close the details" onClick={close} />
      </header>
      {step !== undefined && <ModelCalls runId={runId} step={step} />}
      {[...routed, ...own].map((event) => (
        <div key={event.seq} className="flex flex-col gap-0.5">
          <p className="font-mono text-xs text-faint">
            {event.seq} {event.type}
          </p>
          <JsonTree value={event.data} label={`Data of ${event.type}`} open={1} />
        </div>
      ))}
    </section>
  );
}

function isAbout({ type, data }: AgentEvent, callId: string): boolean {
  if (!type.startsWith("tool_call_") || type === "tool_call_delta") return false;
  return typeof data === "object" && data !== null && Object.values(data).includes(callId);
}
