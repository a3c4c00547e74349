import {
  describeThrown,
  type ModelError,
  type ModelErrorKind,
  RepriseError,
  redactCredentials,
} from "@reprise/contracts";
import type { ToolLoopFailure } from "@reprise/runtime";
import type { NodeErrorCode } from "../document/workflow-document.ts";
import type { NodeFailure } from "../node/node-executor.ts";

/** The code of a failure at a model, by its kind alone: the text of a message never decides. */
const MODEL_CODES: Readonly<Record<ModelErrorKind, NodeErrorCode>> = {
  rate_limit: "provider_rate_limit",
  overloaded: "provider_unavailable",
  timeout: "provider_unavailable",
  network: "provider_unavailable",
  stream_interrupted: "provider_unavailable",
  server_error: "provider_unavailable",
  malformed_response: "provider_unavailable",
  auth: "provider_auth",
  quota: "provider_auth",
  invalid_request: "validation",
  context_length: "validation",
  content_filter: "content_filter",
  answer_too_large: "internal",
  unknown: "internal",
  cancelled: "cancelled",
};

/** The code of a node whose model failed. */
export function modelCode(kind: ModelErrorKind): NodeErrorCode {
  return MODEL_CODES[kind];
}

/** The one place that makes a failure of a node. Credentials are removed here. */
export function nodeFailure(code: NodeErrorCode, message: string, retryable = false): NodeFailure {
  return { code, message: redactCredentials(message), retryable };
}

export const CANCELLED: NodeFailure = nodeFailure("cancelled", "The node was cancelled.");

export function modelFailure(error: ModelError): NodeFailure {
  const code = modelCode(error.kind);
  if (code === "cancelled") return CANCELLED;
  return nodeFailure(code, `The model failed (${error.kind}): ${error.message}`, error.isRetryable);
}

/** Carries what a `preEgress` hook answered through the chain, which knows refusals only as thrown. */
export class EgressRefused extends Error {
  override readonly name = "EgressRefused";
  readonly failure: NodeFailure;

  constructor(failure: NodeFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

/** What a turn that ended without an answer means for its node. */
export function loopFailure(failure: ToolLoopFailure): NodeFailure {
  switch (failure.kind) {
    case "cancelled":
      return CANCELLED;
    case "tool_denied":
    case "turn_limit":
      return nodeFailure(failure.kind, failure.message);
    case "tool_failed":
      return nodeFailure("tool_failed", failure.message, true);
    case "tool_incapable":
      return nodeFailure("internal", failure.message);
    case "model":
      return modelFailure(failure.error);
    case "refused":
      if (failure.reason instanceof EgressRefused) return failure.reason.failure;
      if (RepriseError.is(failure.reason, "BUDGET_EXCEEDED"))
        return nodeFailure("budget_exceeded", failure.reason.message);
      return nodeFailure("internal", `The check before a request failed: ${describeThrown(failure.reason)}`);
    default:
      return failure satisfies never;
  }
}
