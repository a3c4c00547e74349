import { RepriseError } from "@reprise/contracts";

export type OpenTelemetryApi = typeof import("@opentelemetry/api");

let loaded: OpenTelemetryApi | undefined;

/** Loads `@opentelemetry/api`, an optional peer. The package finds the SDK that the host registered, in whichever copy. */
export async function loadOpenTelemetry(): Promise<OpenTelemetryApi> {
  try {
    loaded ??= await import("@opentelemetry/api");
    return loaded;
  } catch (error) {
    const message =
      "The observability plugin needs the package @opentelemetry/api, which is not installed. Install it (npm install @opentelemetry/api), or give the plugin a sink.";
    throw new RepriseError("INVALID_DEFINITION", message, { cause: error });
  }
}

/** The same, once it is loaded. */
export function openTelemetry(): OpenTelemetryApi | undefined {
  return loaded;
}

/** A span as a `traceparent`; undefined for one that no SDK made. */
export function formatTraceparent(span: { spanContext(): SpanContextLike } | undefined): string | undefined {
  const { traceId, spanId, traceFlags = 0 } = span?.spanContext() ?? {};
  if (traceId === undefined || spanId === undefined || /^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined;
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

interface SpanContextLike {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags?: number;
}

/**
 * The trace that the running code belongs to, for a request to another system: the `traceparent` header of HTTP, `_meta.traceparent` of MCP.
 * Inside a tool it is the tool's own span. Undefined where nothing traces.
 */
export function currentTraceparent(): string | undefined {
  return formatTraceparent(loaded?.trace.getActiveSpan());
}
