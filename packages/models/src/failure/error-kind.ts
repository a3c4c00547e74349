import type { ModelErrorKind } from "@reprise/contracts";

/** Providers' own words for failures. Codes and types only: the text of a message is for people and changes. */
const BY_WORD: Readonly<Record<string, ModelErrorKind>> = {
  insufficient_quota: "quota",
  billing_error: "quota",
  billing_hard_limit_reached: "quota",
  billing_not_active: "quota",
  insufficient_balance: "quota",
  payment_required: "quota",
  credit_balance_too_low: "quota",
  ServiceQuotaExceededException: "quota",
  rate_limit_exceeded: "rate_limit",
  rate_limit_error: "rate_limit",
  rate_limit: "rate_limit",
  too_many_requests: "rate_limit",
  RESOURCE_EXHAUSTED: "rate_limit",
  ThrottlingException: "rate_limit",
  TooManyRequestsException: "rate_limit",
  overloaded_error: "overloaded",
  overloaded: "overloaded",
  engine_overloaded: "overloaded",
  service_unavailable: "overloaded",
  UNAVAILABLE: "overloaded",
  ServiceUnavailableException: "overloaded",
  ModelNotReadyException: "overloaded",
  timeout_error: "timeout",
  request_timeout: "timeout",
  DEADLINE_EXCEEDED: "timeout",
  ModelTimeoutException: "timeout",
  invalid_api_key: "auth",
  invalid_authentication: "auth",
  authentication_error: "auth",
  permission_error: "auth",
  permission_denied: "auth",
  account_deactivated: "auth",
  API_KEY_INVALID: "auth",
  UNAUTHENTICATED: "auth",
  PERMISSION_DENIED: "auth",
  AccessDeniedException: "auth",
  ExpiredTokenException: "auth",
  UnrecognizedClientException: "auth",
  InvalidSignatureException: "auth",
  context_length_exceeded: "context_length",
  context_window_exceeded: "context_length",
  model_context_window_exceeded: "context_length",
  string_above_max_length: "context_length",
  tokens_limit_reached: "context_length",
  request_too_large: "context_length",
  content_filter: "content_filter",
  content_policy_violation: "content_filter",
  moderation_blocked: "content_filter",
  ResponsibleAIPolicyViolation: "content_filter",
  invalid_prompt: "invalid_request",
  invalid_request_error: "invalid_request",
  invalid_value: "invalid_request",
  model_not_found: "invalid_request",
  not_found_error: "invalid_request",
  BadRequestError: "invalid_request",
  NotFoundError: "invalid_request",
  INVALID_ARGUMENT: "invalid_request",
  NOT_FOUND: "invalid_request",
  FAILED_PRECONDITION: "invalid_request",
  ValidationException: "invalid_request",
  ResourceNotFoundException: "invalid_request",
  server_error: "server_error",
  internal_server_error: "server_error",
  internal_error: "server_error",
  api_error: "server_error",
  INTERNAL: "server_error",
  InternalServerException: "server_error",
  ModelErrorException: "server_error",
  ModelStreamErrorException: "stream_interrupted",
};

/** What a status means by itself. 413 is a request that is too large in some way the provider has a word for, or else wrong. */
const BY_STATUS: ReadonlyMap<number, ModelErrorKind> = new Map([
  [401, "auth"],
  [402, "quota"],
  [403, "auth"],
  [408, "timeout"],
  [429, "rate_limit"],
  [503, "overloaded"],
  [529, "overloaded"],
]);

/** Words that say less than the status they come with: it goes first. */
const VAGUE: ReadonlySet<string> = new Set([
  "invalid_request_error",
  "api_error",
  "BadRequestError",
  "INVALID_ARGUMENT",
]);

/** What kind of failure an answer is, by its status and the provider's words, never by text meant for people. */
export function kindOf(status: number | undefined, words: readonly string[]): ModelErrorKind {
  const specific = findKind(words.filter((word) => !VAGUE.has(word)));
  if (specific !== undefined) return specific;
  const byStatus = status === undefined ? undefined : (BY_STATUS.get(status) ?? byClass(status));
  return byStatus ?? findKind(words) ?? "server_error";
}

function findKind(words: readonly string[]): ModelErrorKind | undefined {
  for (const word of words) {
    if (Object.hasOwn(BY_WORD, word)) return BY_WORD[word];
    // Some write the status where others write a code.
    const status = /^[45]\d\d$/.test(word) ? Number(word) : undefined;
    const kind = status === undefined ? undefined : (BY_STATUS.get(status) ?? byClass(status));
    if (kind !== undefined) return kind;
  }
  return undefined;
}

function byClass(status: number): ModelErrorKind | undefined {
  if (status >= 500) return "server_error";
  return status >= 300 ? "invalid_request" : undefined;
}
