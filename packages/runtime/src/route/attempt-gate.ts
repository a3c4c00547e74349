import type { Amount, ModelError, ModelErrorKind, ModelRequest, ModelSpec, TokenUsage } from "@reprise/contracts";

/** What is about to be sent, and where. */
export interface PlannedAttempt {
  readonly provider: string;
  readonly model: string;
  /** What is known of the model; absent for one given by value. */
  readonly spec?: ModelSpec;
  readonly request: ModelRequest;
}

/**
 * How an attempt ended, for the budget: its usage, or its quantity where that is not counted in tokens; nothing for one that was
 * refused, unknown for one that broke off.
 */
export type AttemptEnd = { readonly usage: TokenUsage } | { readonly amount: Amount } | "refused" | "unknown";

/** A provider that refused did nothing; one that was not heard of again may have done all of it. */
const UNHEARD: ReadonlySet<ModelErrorKind> = new Set([
  "timeout",
  "network",
  "stream_interrupted",
  "unknown",
  "cancelled",
]);

/** How an attempt ended that failed before its first word. */
export function endOf({ kind }: ModelError): AttemptEnd {
  return UNHEARD.has(kind) ? "unknown" : "refused";
}

/** Leave to make one attempt. */
export interface AttemptTicket {
  /** What may be sent. */
  readonly request: ModelRequest;
  ended(end: AttemptEnd): void;
}

/** Asked before anything leaves the process, attempt by attempt. Throwing stops the request. */
export interface AttemptGate {
  open(attempt: PlannedAttempt): Promise<AttemptTicket>;
}

/** Carries what a gate threw past everything that would take it for a model's failure. */
export class AttemptRefused extends Error {
  readonly reason: unknown;

  constructor(reason: unknown) {
    super("The attempt was refused before anything was sent.", { cause: reason });
    this.name = "AttemptRefused";
    this.reason = reason;
  }
}
