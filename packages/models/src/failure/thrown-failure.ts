import { ModelError, type ModelErrorKind } from "@reprise/contracts";
import { type Speaker, sayFailure } from "./failed-answer.ts";
import { ProviderSaid } from "./provider-said.ts";

/** Codes of Node and of its HTTP client for a party that does not answer in time. */
const TIMEOUTS: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);

/**
 * Makes an error of what was thrown while a request was made or its answer read. What was thrown may hold headers and
 * bodies; of it only the code is kept.
 */
export function thrownFailure(speaker: Speaker, thrown: unknown, hasAnswer: boolean, signal: AbortSignal): ModelError {
  if (ModelError.is(thrown)) return thrown;
  if (signal.aborted) return new ModelError("cancelled", sayFailure(speaker.model, "cancelled", []));
  const code = codeOf(thrown);
  const kind: ModelErrorKind =
    code !== undefined && TIMEOUTS.has(code) ? "timeout" : hasAnswer ? "stream_interrupted" : "network";
  return new ModelError(kind, sayFailure(speaker.model, kind, [code]), {
    ...(code !== undefined && { code }),
    cause: new ProviderSaid(speaker.redact(nameOf(thrown))),
  });
}

/** The code of an error or of what caused it. */
function codeOf(thrown: unknown): string | undefined {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ("code" in at && typeof at.code === "string" && /^[A-Z0-9_]+$/.test(at.code)) return at.code;
    // Where all of a host's addresses failed, each has its own error.
    if (at instanceof AggregateError) {
      const code = at.errors.map(codeOf).find((each) => each !== undefined);
      if (code !== undefined) return code;
    }
  }
  return undefined;
}

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
