import {
  type Amount,
  type Budget,
  describeThrown,
  type ErrorCode,
  ModelError,
  type ModelErrorKind,
  RepriseError,
} from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { BudgetExceeded } from "../budget/budget-exceeded.ts";
import { AttemptRefused } from "../route/attempt-gate.ts";

/** A failure as it is noted: as much of it as the run makes use of. */
type NotedFailure =
  | { readonly of: "model"; readonly kind: ModelErrorKind; readonly message: string }
  | { readonly of: "budget"; readonly budget: Budget; readonly needed: Amount }
  | { readonly of: "runtime"; readonly code: ErrorCode; readonly message: string }
  | { readonly of: "other"; readonly message: string };

export function encodeFailure(thrown: unknown): Json {
  // Made of JSON; the compiler does not see that through the interfaces.
  return noteFailure(thrown) as unknown as Json;
}

function noteFailure(thrown: unknown): NotedFailure {
  const error = thrown instanceof AttemptRefused ? thrown.reason : thrown;
  if (ModelError.is(error)) return { of: "model", kind: error.kind, message: error.message };
  if (error instanceof BudgetExceeded) return { of: "budget", budget: error.budget, needed: error.needed };
  if (RepriseError.is(error)) return { of: "runtime", code: error.code, message: error.message };
  return { of: "other", message: describeThrown(error).toWellFormed() };
}

/** The failure again, the same to whoever handles it. */
export function decodeFailure(noted: Json): Error {
  // Written by `encodeFailure`.
  const failure = noted as unknown as NotedFailure;
  switch (failure.of) {
    case "model":
      return new ModelError(failure.kind, failure.message);
    case "budget":
      return new BudgetExceeded(failure.budget, failure.needed);
    case "runtime":
      return new RepriseError(failure.code, failure.message);
    case "other":
      return new Error(failure.message);
    default:
      failure satisfies never;
      return new Error("It failed.");
  }
}
