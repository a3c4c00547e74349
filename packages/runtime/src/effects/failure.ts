import { describeThrown, type ErrorCode, ModelError, type ModelErrorKind, RepriseError } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { RunCancelled } from "./outcomes.ts";

/** A failure as it is stored: as much of it as the loop looks at. */
type StoredFailure =
  | { readonly of: "model"; readonly kind: ModelErrorKind; readonly message: string }
  | { readonly of: "runtime"; readonly code: ErrorCode; readonly message: string }
  | { readonly of: "cancelled" }
  | { readonly of: "other"; readonly message: string };

export function encodeFailure(error: unknown): Json {
  return { ...describeFailure(error) };
}

function describeFailure(error: unknown): StoredFailure {
  if (ModelError.is(error)) return { of: "model", kind: error.kind, message: error.message };
  if (RepriseError.is(error)) return { of: "runtime", code: error.code, message: error.message };
  if (error instanceof RunCancelled) return { of: "cancelled" };
  return { of: "other", message: describeThrown(error).toWellFormed() };
}

/** The failure again. A cancelled effect fails with the reason its run was cancelled for. */
export function decodeFailure(stored: Json, cancelled: unknown): unknown {
  // Written by `encodeFailure`.
  const failure = stored as unknown as StoredFailure;
  switch (failure.of) {
    case "model":
      return new ModelError(failure.kind, failure.message);
    case "runtime":
      return new RepriseError(failure.code, failure.message);
    case "cancelled":
      return cancelled;
    default:
      return new Error(failure.message);
  }
}
