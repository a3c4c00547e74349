import { ModelError, type ModelErrorKind, type Redact } from "@reprise/contracts";
import { kindOf } from "./error-kind.ts";
import { type Problem, readProblem, readProblemText } from "./problem.ts";
import { ProviderSaid } from "./provider-said.ts";
import type { ReadHeader } from "./read-header.ts";
import { readRetryAfter } from "./retry-after.ts";

/** Who failed, for the message, and how to take secrets out of what it said. */
export interface Speaker {
  /** The id of the model. */
  readonly model: string;
  readonly redact: Redact;
}

/** An answer that is no answer: a status other than 200, or a body that holds an error. */
export interface FailedAnswer {
  readonly status: number;
  readonly header: ReadHeader;
  readonly body: string;
}

/** Makes an error of an answer. HTML and other texts have no fields: then the status alone counts. */
export function failureOf(speaker: Speaker, { status, header, body }: FailedAnswer): ModelError {
  const problem = readProblemText(body) ?? { words: [] };
  const errorType = header("x-amzn-errortype")?.split(":", 1)[0];
  const words = errorType === undefined ? problem.words : [errorType, ...problem.words];
  const isAnswer = status >= 200 && status < 300;
  // A page or a half answer where an answer was due: nothing the request could be blamed for.
  const kind: ModelErrorKind = isAnswer && words.length === 0 ? "malformed_response" : kindOf(status, words);
  const retryAfterMs = readRetryAfter(header, Date.now()) ?? problem.retryAfterMs;
  const requestId = REQUEST_ID_HEADERS.map(header).find((id) => id !== undefined);
  return describeFailure(
    speaker,
    kind,
    { ...problem, words },
    {
      status,
      ...(retryAfterMs !== undefined && { retryAfterMs }),
      ...(requestId !== undefined && { requestId: speaker.redact(requestId) }),
    },
  );
}

/** Makes an error of an event in a stream whose status was fine. Undefined when the event holds no error. */
export function failureInStream(speaker: Speaker, event: unknown): ModelError | undefined {
  const problem = readProblem(event);
  return problem === undefined ? undefined : describeFailure(speaker, kindOf(undefined, problem.words), problem);
}

const REQUEST_ID_HEADERS = ["x-request-id", "request-id", "x-amzn-requestid", "x-goog-request-id"];

const SAYS: Readonly<Record<ModelErrorKind, string>> = {
  rate_limit: "it was asked too often",
  overloaded: "it is overloaded",
  timeout: "it took too long",
  network: "it cannot be reached",
  stream_interrupted: "its answer broke off",
  server_error: "it failed",
  auth: "it refused the key",
  quota: "its quota is used up",
  invalid_request: "it refused the request",
  context_length: "the request is too long for it",
  content_filter: "its filter stopped the answer",
  malformed_response: "what it sent is no answer",
  answer_too_large: "its answer is too large",
  unknown: "it failed, and nobody knows why",
  cancelled: "the call was cancelled",
};

/** The text of a message: ours, with the status and the provider's word, and nothing the provider wrote freely. */
export function sayFailure(
  model: string,
  kind: ModelErrorKind,
  marks: readonly (string | number | undefined)[],
): string {
  const known = marks.filter((mark) => mark !== undefined);
  return `Model ${model}: ${SAYS[kind]}${known.length === 0 ? "" : ` (${known.join(", ")})`}.`;
}

const LONGEST_SAYING = 2000;

function describeFailure(
  { model, redact }: Speaker,
  kind: ModelErrorKind,
  { words, message, retryAfterMs }: Problem,
  answer: { readonly status?: number; readonly retryAfterMs?: number; readonly requestId?: string } = {},
): ModelError {
  const code = words.find((word) => !/^\d+$/.test(word) && /^[\w.-]{1,64}$/.test(word));
  const safeCode = code === undefined ? undefined : redact(code);
  const said = message === undefined ? undefined : redact(message.slice(0, LONGEST_SAYING));
  return new ModelError(kind, sayFailure(model, kind, [answer.status, safeCode]), {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...answer,
    ...(safeCode !== undefined && { code: safeCode }),
    ...(said !== undefined && { cause: new ProviderSaid(said) }),
  });
}
