import type { Json, JsonObject } from "@reprise/state";

/**
 * Evaluates expressions of workflow documents.
 * - Values go in and come out as JSON, by copy. An expression changes nothing.
 * - It has no clock, no random numbers, no files and no network, so equal values give equal results.
 * - An expression that takes too long fails and may be tried again; one that needs too much memory fails for good.
 * - Never throws: a failure is an answer.
 */
export interface ExpressionSandbox {
  evaluate(expression: string, globals: JsonObject): Promise<Evaluated> | Evaluated;
}

export type Evaluated = { readonly value: Json } | { readonly failure: ExpressionFailure };

/** Why an expression has no value. Fits a `NodeFailure`. */
export interface ExpressionFailure {
  readonly code: "sandbox_error";
  readonly message: string;
  readonly retryable: boolean;
}
