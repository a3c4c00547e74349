import { readDuration } from "./retry-after.ts";

/** What a provider said about a failure, in fields. */
export interface Problem {
  /** Its words for it, the most specific first: codes, types, statuses, reasons. */
  readonly words: readonly string[];
  readonly message?: string;
  readonly retryAfterMs?: number;
}

/** The fields of an error as providers write them: OpenAI, Anthropic, Google, AWS and those who speak like one of them. */
interface WrittenError {
  readonly code?: unknown;
  readonly type?: unknown;
  readonly status?: unknown;
  readonly param?: unknown;
  readonly message?: unknown;
  readonly details?: unknown;
  readonly error?: unknown;
  readonly __type?: unknown;
  readonly Message?: unknown;
}

/** Reads a body, or an event in a stream. Undefined when it holds no error. */
export function readProblem(body: unknown): Problem | undefined {
  if (!isRecord(body)) return undefined;
  const { error } = body;
  if (typeof error === "string") return { words: wordsOf(body), message: error };
  // Some packages hand on the whole event, with the error inside.
  if (isRecord(error)) return isRecord(error.error) ? readProblem(error) : describe(error);
  // An event `response.failed` has its error inside the answer.
  if (isRecord(body.response)) return readProblem(body.response);
  return looksLikeError(body) ? describe(body) : undefined;
}

/** The same for a body as text: what is no JSON holds no fields. */
export function readProblemText(text: string): Problem | undefined {
  try {
    return readProblem(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function describe(error: WrittenError): Problem {
  const details = Array.isArray(error.details) ? error.details.filter(isRecord) : [];
  const reasons = details.map(({ reason }) => reason).filter((reason) => typeof reason === "string");
  const message = [error.message, error.Message].find((text) => typeof text === "string");
  const retryAfterMs = details.map(({ retryDelay }) => readDuration(retryDelay)).find((ms) => ms !== undefined);
  return {
    words: [...reasons, ...wordsOf(error)],
    ...(message !== undefined && { message }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

function wordsOf({ code, type, status, __type }: WrittenError): readonly string[] {
  return [code, type, __type, status].flatMap((word) => {
    if (typeof word === "number") return [String(word)];
    // AWS writes `com.amazon.coral.service#ThrottlingException:http://…`, and in streams `throttlingException`.
    const bare = typeof word === "string" ? (word.slice(word.lastIndexOf("#") + 1).split(":", 1)[0] ?? "") : "";
    return bare === "" ? [] : [bare.endsWith("Exception") ? bare[0]?.toUpperCase() + bare.slice(1) : bare];
  });
}

/** vLLM and AWS have the fields at the top. */
function looksLikeError(body: WrittenError & { readonly object?: unknown }): boolean {
  if (body.object === "error" || body.__type !== undefined) return true;
  return body.type === "error" || (typeof body.message === "string" && (body.code ?? body.type) !== undefined);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> & WrittenError {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
