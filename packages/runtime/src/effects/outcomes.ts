/** The run was cancelled. Used as the reason of its abort signal. */
export class RunCancelled extends Error {
  override readonly name = "RunCancelled";
  /** The mailbox entry that asked; settled by the commit that ends the run. */
  readonly entryId: string;

  constructor(entryId: string, reason: string) {
    super(reason);
    this.entryId = entryId;
  }
}

/** Another process owns the thread now, or soon will: stop, and write nothing more. */
export class ClaimLost extends Error {
  override readonly name = "ClaimLost";
}

/** The reason of a cancellation that gave none. */
export const DEFAULT_CANCEL_REASON = "cancelled";

/** The same of an interrupt. */
export const DEFAULT_INTERRUPT_REASON = "interrupted";
