import { type Shape, textLike } from "../shape/shape.ts";

const TRACEPARENT = "^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$";
const PATTERN = new RegExp(TRACEPARENT);

/** The shape of a `traceparent` of W3C Trace Context. */
export const traceparentText: Shape<string> = textLike("a traceparent of W3C Trace Context", TRACEPARENT);

/** Whether a header or a hint from outside names a trace. One that does not is ignored, as the standard asks for. */
export function isTraceparent(value: unknown): value is string {
  return typeof value === "string" && PATTERN.test(value);
}

/** What the standard has every system pass on at least, and more than the systems along a request say. */
const TRACESTATE = "^(?=[^=]+=)[a-z0-9][ -~]{0,511}$";
const STATE_PATTERN = new RegExp(TRACESTATE);

/** The shape of a `tracestate` of W3C Trace Context: what tracing systems say beside the `traceparent`. */
export const tracestateText: Shape<string> = textLike("a tracestate of W3C Trace Context", TRACESTATE);

function isTracestate(value: unknown): value is string {
  return typeof value === "string" && STATE_PATTERN.test(value);
}

/** A trace as it comes from outside: the two headers of W3C Trace Context. */
export interface TraceContext {
  readonly traceparent?: string;
  readonly tracestate?: string;
}

/** Reads a trace from outside. A `tracestate` means nothing without its `traceparent`. */
export function readTraceContext(traceparent: unknown, tracestate: unknown): TraceContext {
  if (!isTraceparent(traceparent)) return {};
  return isTracestate(tracestate) ? { traceparent, tracestate } : { traceparent };
}
