import { ModelError, type ModelErrorKind } from "@reprise/contracts";
import { failureInStream, failureOf, type Speaker, sayFailure } from "../failure/failed-answer.ts";
import { ProviderSaid } from "../failure/provider-said.ts";
import { headersOf } from "../failure/read-header.ts";
import { thrownFailure } from "../failure/thrown-failure.ts";

/** The names of the AI SDK's errors that say what went wrong by themselves. */
const BY_NAME: Readonly<Record<string, ModelErrorKind>> = {
  AI_JSONParseError: "malformed_response",
  AI_TypeValidationError: "malformed_response",
  AI_InvalidResponseDataError: "malformed_response",
  AI_EmptyResponseBodyError: "malformed_response",
  AI_NoContentGeneratedError: "malformed_response",
  AI_InvalidPromptError: "invalid_request",
  AI_InvalidArgumentError: "invalid_request",
  AI_UnsupportedFunctionalityError: "invalid_request",
  AI_NoSuchModelError: "invalid_request",
  AI_LoadAPIKeyError: "auth",
  AI_LoadSettingError: "auth",
};

/** An `AI_APICallError` of any version. It also holds the request, which is never passed on. */
interface ApiCallError extends Error {
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  readonly responseBody?: string;
}

/** Makes an error of what a provider's package threw, or put into its stream as an error. */
export function aiSdkFailure(speaker: Speaker, thrown: unknown, hasAnswer: boolean, signal: AbortSignal): ModelError {
  const own = findModelError(thrown);
  if (own !== undefined) return own;
  if (signal.aborted) return thrownFailure(speaker, thrown, hasAnswer, signal);
  if (isApiCallError(thrown)) return callFailure(speaker, thrown, hasAnswer, signal);
  const kind = thrown instanceof Error && Object.hasOwn(BY_NAME, thrown.name) ? BY_NAME[thrown.name] : undefined;
  if (kind !== undefined && thrown instanceof Error) {
    const cause = new ProviderSaid(speaker.redact(thrown.message.slice(0, LONGEST_SAYING)));
    return new ModelError(kind, sayFailure(speaker.model, kind, [thrown.name]), { code: thrown.name, cause });
  }
  // A provider's own error, as it stood in the stream.
  const said = thrown instanceof Error ? undefined : failureInStream(speaker, { error: thrown });
  return said ?? thrownFailure(speaker, thrown, hasAnswer, signal);
}

const LONGEST_SAYING = 500;

function callFailure(speaker: Speaker, thrown: ApiCallError, hasAnswer: boolean, signal: AbortSignal): ModelError {
  const { statusCode, responseHeaders, responseBody = "", cause } = thrown;
  // No status: no answer. A good status and nothing read of the body: it broke off while it was read.
  if (statusCode === undefined) return thrownFailure(speaker, thrown, hasAnswer, signal);
  if (statusCode < 300 && responseBody === "" && cause !== undefined) {
    return cause instanceof Error && Object.hasOwn(BY_NAME, cause.name)
      ? aiSdkFailure(speaker, cause, true, signal)
      : thrownFailure(speaker, thrown, true, signal);
  }
  return failureOf(speaker, { status: statusCode, header: headersOf(responseHeaders), body: responseBody });
}

/** An error of ours that went through the package, wrapped or not. */
function findModelError(thrown: unknown): ModelError | undefined {
  for (let at = thrown, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (ModelError.is(at)) return at;
  }
  return undefined;
}

function isApiCallError(thrown: unknown): thrown is ApiCallError {
  return thrown instanceof Error && thrown.name === "AI_APICallError";
}
