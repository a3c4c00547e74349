// Nothing here needs the types of OpenTelemetry: what it exports is also for programs that do not have the package.

/** As much of a span as a `traceparent` and a `tracestate` hold. */
interface TracedSpan {
  spanContext(): {
    readonly traceId: string;
    readonly spanId: string;
    readonly traceFlags: number;
    readonly traceState?: { serialize(): string };
  };
}

let findActive: (() => TracedSpan | undefined) | undefined;

/** Says how the active span is found, once something traces. */
export function findActiveSpanBy(find: () => TracedSpan | undefined): void {
  findActive = find;
}

/** A span as a `traceparent`; undefined for one that no SDK made. */
export function formatTraceparent(span: TracedSpan): string | undefined {
  const { traceId, spanId, traceFlags } = span.spanContext();
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined;
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

/**
 * The trace that the running code belongs to, for a request to another system: the `traceparent` header of HTTP, `_meta.traceparent` of MCP.
 * Inside a tool it is the tool's own span. Undefined where nothing traces.
 */
export function currentTraceparent(): string | undefined {
  const span = findActive?.();
  return span === undefined ? undefined : formatTraceparent(span);
}

/** The `tracestate` that goes with `currentTraceparent()`. Undefined where the trace has none. */
export function currentTracestate(): string | undefined {
  return findActive?.()?.spanContext().traceState?.serialize() || undefined;
}
