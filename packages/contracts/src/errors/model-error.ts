import type { ErrorCode } from "./catalogue.ts";

/** Why a model failed. Closed, and never derived from the text of a message. */
export type ModelErrorKind =
  | "rate_limit"
  | "overloaded"
  | "timeout"
  | "network"
  | "stream_interrupted"
  | "server_error"
  | "auth"
  | "quota"
  | "invalid_request"
  | "context_length"
  | "content_filter"
  | "malformed_response"
  /** More than anybody reads: the answer was given up on. */
  | "answer_too_large"
  /** Nothing is known of it, so it is not tried again. */
  | "unknown"
  | "cancelled";

/** The code a run that failed for this reason ends with. */
const CODES: Readonly<Record<ModelErrorKind, ErrorCode>> = {
  rate_limit: "MODEL_RATE_LIMITED",
  overloaded: "MODEL_OVERLOADED",
  timeout: "MODEL_TIMEOUT",
  network: "MODEL_UNREACHABLE",
  stream_interrupted: "MODEL_INTERRUPTED",
  server_error: "MODEL_SERVER_ERROR",
  auth: "MODEL_AUTH",
  quota: "MODEL_QUOTA_EXCEEDED",
  invalid_request: "MODEL_INVALID_REQUEST",
  context_length: "MODEL_CONTEXT_OVERFLOW",
  content_filter: "MODEL_CONTENT_FILTERED",
  malformed_response: "MODEL_MALFORMED_RESPONSE",
  answer_too_large: "MODEL_ANSWER_TOO_LARGE",
  unknown: "MODEL_FAILED",
  cancelled: "MODEL_FAILED",
};

/** The code of the catalogue for a kind of failure. */
export function modelErrorCode(kind: ModelErrorKind): ErrorCode {
  return CODES[kind];
}

const RETRYABLE: ReadonlySet<ModelErrorKind> = new Set([
  "rate_limit",
  "overloaded",
  "timeout",
  "network",
  "stream_interrupted",
  "server_error",
  "malformed_response",
]);

export interface ModelErrorOptions {
  readonly retryAfterMs?: number;
  /** The HTTP status, when there was an answer. */
  readonly status?: number;
  /** The provider's own word for the failure: `insufficient_quota`, `overloaded_error`, … */
  readonly code?: string;
  /** The provider's id of the request, for its support. */
  readonly requestId?: string;
  /** Free of secrets: the creator of the error has removed them. */
  readonly cause?: unknown;
}

/** A failure of a model. The message is ours; what the provider said stays in `cause`. Neither holds a secret. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  /** How long the provider asked to wait. */
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly requestId: string | undefined;

  constructor(kind: ModelErrorKind, message: string, options: ModelErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.code = options.code;
    this.requestId = options.requestId;
  }

  get isRetryable(): boolean {
    return RETRYABLE.has(this.kind);
  }

  /** Checks by name, not by class, so that two copies of the package agree. */
  static is(value: unknown, kind?: ModelErrorKind): value is ModelError {
    if (!(value instanceof Error) || value.name !== "ModelError" || !("kind" in value)) return false;
    return kind === undefined || value.kind === kind;
  }
}
