import { type Shape, textLike } from "../shape/shape.ts";

const TRACEPARENT = "^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$";
const PATTERN = new RegExp(TRACEPARENT);

/** The shape of a `traceparent` of W3C Trace Context. */
export const traceparentText: Shape<string> = textLike("a traceparent of W3C Trace Context", TRACEPARENT);

/** Whether a header or a hint from outside names a trace. One that does not is ignored, as the standard asks for. */
export function isTraceparent(value: unknown): value is string {
  return typeof value === "string" && PATTERN.test(value);
}
