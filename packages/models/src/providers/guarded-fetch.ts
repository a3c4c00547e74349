import type { Speaker } from "../failure/failed-answer.ts";
import { thrownFailure } from "../failure/thrown-failure.ts";
import { boundEvents } from "../wire/bound-events.ts";
import { readFailure } from "../wire/open-answer.ts";

/**
 * A `fetch` for providers' packages. It judges answers before the packages see them: they lose what a body says when its status
 * is fine, their errors hold whole requests, and they hold an event in memory however long it is. It also never follows a redirect: keys in headers would go wherever it points.
 */
export function createGuardedFetch(speaker: Speaker, send: typeof fetch = fetch): typeof fetch {
  return async (input, init) => {
    const signal = init?.signal ?? NEVER;
    let response: Response;
    try {
      response = await send(input, { ...init, redirect: "manual" });
    } catch (error) {
      throw thrownFailure(speaker, error, false, signal);
    }
    if (response.ok && !isDocument(response)) return boundEvents(speaker, response);
    throw await readFailure(speaker, response, signal);
  };
}

const NEVER = new AbortController().signal;

/** A page or an object where a stream was asked for. */
function isDocument(response: Response): boolean {
  return /^(application\/json|text\/html)\b/i.test(response.headers.get("content-type") ?? "");
}
