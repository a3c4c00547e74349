import type { Json } from "@reprise/state";

/** An error as both bindings say it: the code of JSON-RPC, the status of HTTP, and the words of the specification for it. */
export interface A2aFailure {
  readonly code: number;
  readonly httpStatus: number;
  /** A status of google.rpc. */
  readonly status: string;
  /** The reason of an error of the protocol; absent for errors that every service has. */
  readonly reason?: string;
}

/** Every error that a client of the protocol may get. */
export type A2aErrorName =
  | "PARSE"
  | "INVALID_REQUEST"
  | "METHOD_NOT_FOUND"
  | "INVALID_PARAMS"
  | "INTERNAL"
  | "TASK_NOT_FOUND"
  | "TASK_NOT_CANCELABLE"
  | "PUSH_NOTIFICATION_NOT_SUPPORTED"
  | "UNSUPPORTED_OPERATION"
  | "VERSION_NOT_SUPPORTED";

/** How each is said. */
export const A2A_ERRORS: Readonly<Record<A2aErrorName, A2aFailure>> = {
  PARSE: { code: -32700, httpStatus: 400, status: "INVALID_ARGUMENT" },
  INVALID_REQUEST: { code: -32600, httpStatus: 400, status: "INVALID_ARGUMENT" },
  METHOD_NOT_FOUND: { code: -32601, httpStatus: 404, status: "NOT_FOUND" },
  INVALID_PARAMS: { code: -32602, httpStatus: 400, status: "INVALID_ARGUMENT" },
  INTERNAL: { code: -32603, httpStatus: 500, status: "INTERNAL" },
  TASK_NOT_FOUND: { code: -32001, httpStatus: 404, status: "NOT_FOUND", reason: "TASK_NOT_FOUND" },
  TASK_NOT_CANCELABLE: { code: -32002, httpStatus: 400, status: "FAILED_PRECONDITION", reason: "TASK_NOT_CANCELABLE" },
  PUSH_NOTIFICATION_NOT_SUPPORTED: {
    code: -32003,
    httpStatus: 400,
    status: "FAILED_PRECONDITION",
    reason: "PUSH_NOTIFICATION_NOT_SUPPORTED",
  },
  UNSUPPORTED_OPERATION: {
    code: -32004,
    httpStatus: 400,
    status: "FAILED_PRECONDITION",
    reason: "UNSUPPORTED_OPERATION",
  },
  VERSION_NOT_SUPPORTED: {
    code: -32009,
    httpStatus: 400,
    status: "FAILED_PRECONDITION",
    reason: "VERSION_NOT_SUPPORTED",
  },
};

/** An error in the words of the protocol. */
export class A2aError extends Error {
  override readonly name = "A2aError";
  readonly failure: A2aFailure;

  constructor(name: A2aErrorName, message: string) {
    super(message);
    this.failure = A2A_ERRORS[name];
  }
}

const DOMAIN = "a2a-protocol.org";

function detailsOf({ reason }: A2aFailure): readonly Json[] {
  return reason === undefined ? [] : [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: DOMAIN }];
}

/** The body of a failed request over REST. */
export function encodeRestError(failure: A2aFailure, message: string): Json {
  const { httpStatus, status } = failure;
  return { error: { code: httpStatus, status, message, details: detailsOf(failure) } };
}

/** The response to a failed call over JSON-RPC. */
export function encodeRpcError(id: Json, failure: A2aFailure, message: string): Json {
  const data = detailsOf(failure);
  return { jsonrpc: "2.0", id, error: { code: failure.code, message, ...(data.length > 0 && { data }) } };
}
