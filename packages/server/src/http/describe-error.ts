import { ERRORS, type ErrorCode, type RepriseError, toRepriseError } from "@reprise/contracts";
import { HttpRefusal } from "./http-refusal.ts";

/** An error as a client gets it. */
export interface DescribedError {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For a decision that lost: the one that won. */
  readonly decision?: unknown;
  /** Whether it is worth a line in the log: the client cannot fix it. */
  readonly isOurs: boolean;
}

const NOT_FOUND = /^(\w+)_NOT_FOUND$/;

/** Says an error in the words of the HTTP API. The code goes into a header; the body has the message. */
export function describeError(thrown: unknown): DescribedError {
  if (thrown instanceof HttpRefusal) {
    const { status, message, headers } = thrown;
    return { status, message, headers, isOurs: false };
  }
  const error = toRepriseError(thrown);
  const status = error.httpStatus;
  const headers = {
    "x-reprise-error": error.code,
    ...(status === 503 && error.isRetryable && { "retry-after": "1" }),
  };
  // A server that shuts down is not an error.
  const isOurs = status >= 500 && error.code !== "RUNTIME_CLOSED";
  const decision = error.code === "DECISION_CONFLICT" ? { decision: error.details.winner } : {};
  return { status, message: wordsFor(error), headers, isOurs, ...decision };
}

function wordsFor(error: RepriseError): string {
  const { code, message, details } = error;
  const [, kind] = NOT_FOUND.exec(code) ?? [];
  if (kind !== undefined && error.httpStatus === 404 && typeof details.id === "string") {
    return `${kind.toLowerCase()} not found: ${details.id}`;
  }
  if (code === "RUN_NOT_ACTIVE") return "bad request: run is not active";
  if (UNSPEAKABLE.includes(code)) return "internal error";
  // Texts of stores, providers and plugins are not meant for clients and may contain anything: the failure gets words of ours.
  const said = error.httpStatus < 500 ? message : ERRORS[code].when;
  const opening = OPENINGS[error.httpStatus];
  return opening === undefined ? said : `${opening}: ${said}`;
}

/** How the text of a status begins, as refusals at the door do. */
const OPENINGS: Readonly<Record<number, string>> = {
  400: "bad request",
  404: "not found",
  409: "conflict",
  410: "gone",
  413: "payload too large",
  503: "unavailable",
};

const UNSPEAKABLE: readonly ErrorCode[] = ["INTERNAL", "CORRUPT_DATA", "PLUGIN_FAILED"];
