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
  | "cancelled";

const RETRYABLE: ReadonlySet<ModelErrorKind> = new Set([
  "rate_limit",
  "overloaded",
  "timeout",
  "network",
  "stream_interrupted",
  "server_error",
  "malformed_response",
]);

/** A failure of a model. The message is ours; what the provider said stays in `cause`. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly kind: ModelErrorKind;
  /** How long the provider asked to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: ModelErrorKind, message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs;
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
