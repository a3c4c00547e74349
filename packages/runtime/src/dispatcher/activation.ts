import type { Claim } from "@reprise/contracts";
import { MailSource } from "../effects/mail-flag.ts";
import { ClaimLost } from "../effects/outcomes.ts";

/** A claim we work on. */
export class Activation {
  readonly controller: AbortController = new AbortController();
  /** Aborted when the claim is gone, also when the run was cancelled before. */
  readonly loss: AbortController = new AbortController();
  readonly mail: MailSource;
  claim: Claim;
  /** How many of its calls have runs below them work for them: meanwhile its slot is theirs. */
  lent = 0;
  finished: Promise<void> = Promise.resolve();
  /** By our own clock, which never goes back. */
  renewedAt: number;

  /** `mayHaveMail`: something may have come for the run before we listened. A lease counts from when it was asked for. */
  constructor(claim: Claim, { askedAt, mayHaveMail }: { readonly askedAt: number; readonly mayHaveMail: boolean }) {
    this.claim = claim;
    this.renewedAt = askedAt;
    this.mail = new MailSource(mayHaveMail);
  }

  /** Tells the activation to stop, and to write nothing more. */
  lose(why = `The claim on thread ${this.claim.thread_id} was lost.`): void {
    const reason = new ClaimLost(why);
    this.controller.abort(reason);
    this.loss.abort(reason);
  }
}

/** From this many lost owners on a run may be what killed them. */
const SUSPECT_RECOVERIES = 2;

export function isSuspect({ kind, run }: Claim): boolean {
  return kind === "recover" && run !== undefined && run.recoveries >= SUSPECT_RECOVERIES;
}
