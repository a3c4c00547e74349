import type { ModelError, ModelWaitReason } from "@reprise/contracts";

/**
 * No model can be asked now, and one can be later. Passes every recovery by: asking again at once would be refused, so the run
 * decides whether it waits.
 */
export class ModelUnavailable extends Error {
  /** How long until one can be asked. */
  readonly waitMs: number;
  readonly reason: ModelWaitReason;
  /** What the run fails with when it does not wait. */
  readonly failure: ModelError;

  constructor(waitMs: number, reason: ModelWaitReason, failure: ModelError) {
    super(failure.message, { cause: failure });
    this.name = "ModelUnavailable";
    this.waitMs = waitMs;
    this.reason = reason;
    this.failure = failure;
  }
}
