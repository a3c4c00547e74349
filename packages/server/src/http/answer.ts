/** The headers that every answer to a request carries. */
export interface CommonHeaders {
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers with JSON. */
export function answer(
  common: CommonHeaders,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...common.headers, "content-type": "application/json", ...headers },
  });
}

/** Ids go into headers as in URLs: they may hold characters that headers may not. */
export function idHeaders(ids: { readonly run?: string; readonly thread?: string }): Readonly<Record<string, string>> {
  return {
    ...(ids.run !== undefined && { "x-reprise-run-id": encodeURIComponent(ids.run) }),
    ...(ids.thread !== undefined && { "x-reprise-thread-id": encodeURIComponent(ids.thread) }),
  };
}

/** What was odd about a request that is answered with a stream, as a JSON list in the characters of a URL. */
export function warningHeaders(warnings: readonly string[]): Readonly<Record<string, string>> {
  return warnings.length === 0
    ? {}
    : { "x-reprise-warnings": encodeURIComponent(JSON.stringify(warnings).toWellFormed()) };
}
