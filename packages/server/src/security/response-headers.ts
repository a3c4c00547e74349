/** Answers are data: a browser must neither execute nor cache them. */
const ALWAYS: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  vary: "origin",
};

const EXPOSED = "x-reprise-error, x-reprise-run-id, x-reprise-thread-id, x-reprise-warnings, retry-after, etag";

/** The headers of every answer; a listed origin may read it, and its page gets no cookies of ours. */
export function responseHeaders(origin: string | undefined): Readonly<Record<string, string>> {
  if (origin === undefined) return ALWAYS;
  return { ...ALWAYS, "access-control-allow-origin": origin, "access-control-expose-headers": EXPOSED };
}

/** The answer to a browser that asks whether a listed origin may send a request. */
export function preflightHeaders(origin: string | undefined, methods: string): Readonly<Record<string, string>> {
  return {
    ...responseHeaders(origin),
    "access-control-allow-methods": methods,
    "access-control-allow-headers": "authorization, content-type, idempotency-key, if-match, last-event-id, x-api-key",
    "access-control-max-age": "600",
  };
}
