/** The part of `@opentelemetry/api` that is used. */
type OpenTelemetry = typeof import("@opentelemetry/api");

let api: Promise<OpenTelemetry | undefined> | undefined;

/** The trace a call is part of, for the `_meta` of its request. Empty where nothing is traced. */
export async function traceMeta(): Promise<{ readonly traceparent?: string; readonly tracestate?: string }> {
  api ??= import("@opentelemetry/api").catch(() => undefined);
  const found = await api;
  const span = found?.trace.getSpanContext(found.context.active());
  if (found === undefined || span === undefined || !found.isSpanContextValid(span)) return {};
  const traceparent = `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, "0")}`;
  const tracestate = span.traceState?.serialize() ?? "";
  return tracestate === "" ? { traceparent } : { traceparent, tracestate };
}
