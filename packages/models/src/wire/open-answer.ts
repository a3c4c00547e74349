import { ModelError } from "@reprise/contracts";
import { failureOf, type Speaker, sayFailure } from "../failure/failed-answer.ts";
import type { ReadHeader } from "../failure/read-header.ts";
import { thrownFailure } from "../failure/thrown-failure.ts";

/** A request as it goes out. */
export interface OutgoingRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly fetch: typeof fetch;
}

/** How a model is reached. Asked anew for every request: a key may have changed. */
export interface Connection extends Pick<OutgoingRequest, "url" | "headers" | "fetch"> {
  readonly redact: Speaker["redact"];
}

/** Makes a request and returns its answer once it is one: a stream of events, or JSON without an error in it. */
export async function openAnswer(speaker: Speaker, request: OutgoingRequest): Promise<Response> {
  const { url, signal, fetch: send, ...rest } = request;
  let response: Response;
  try {
    // A redirect is not followed: keys in headers would go wherever it points.
    response = await send(url, { method: "POST", redirect: "manual", signal, ...rest });
  } catch (error) {
    throw thrownFailure(speaker, error, false, signal);
  }
  if (response.ok && response.body !== null) return response;
  throw await readFailure(speaker, response, signal);
}

/** Reads an answer that is none, and says why. What cannot be read any more is judged by its status. */
export async function readFailure(speaker: Speaker, response: Response, signal: AbortSignal): Promise<ModelError> {
  if (response.status >= 300 && response.status < 400) {
    await response.body?.cancel().catch(() => undefined);
    const message = `${sayFailure(speaker.model, "invalid_request", [response.status]).slice(0, -1)}: it redirects elsewhere, and keys are not sent there.`;
    return new ModelError("invalid_request", message, { status: response.status });
  }
  const body = await readText(response).catch(() => "");
  if (signal.aborted) return thrownFailure(speaker, undefined, true, signal);
  const header: ReadHeader = (name) => response.headers.get(name) ?? undefined;
  return failureOf(speaker, { status: response.status, header, body });
}

const MOST_BYTES = 64 * 1024;

/** The beginning of a body: an error is short, and a page that is not need not be read to its end. */
async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  // A body is an async iterable in Node; the DOM's types do not say so.
  const body = response.body as unknown as AsyncIterable<Uint8Array> | null;
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true });
    if (text.length > MOST_BYTES) break;
  }
  return text + decoder.decode();
}
