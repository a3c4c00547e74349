import type { RepriseError } from "@reprise/contracts";
import { tenantKey } from "../thread/tenant-key.ts";

/**
 * Runs that this process had to leave in the middle, and why, when whoever waits for them should know: the store is full, or
 * what it has of the thread cannot be read. Nothing of it is durable, because nothing can be written; the run goes on when it can.
 */
export class StoppedRuns {
  readonly #reasons = new Map<string, RepriseError>();

  stop(tenant: string, runId: string, reason: RepriseError): void {
    this.#reasons.set(tenantKey(tenant, runId), reason);
  }

  /** Somebody works on it again. */
  goOn(tenant: string, runId: string): void {
    if (this.#reasons.size > 0) this.#reasons.delete(tenantKey(tenant, runId));
  }

  assertNotStopped(tenant: string, runId: string): void {
    const reason = this.#reasons.size === 0 ? undefined : this.#reasons.get(tenantKey(tenant, runId));
    if (reason !== undefined) throw reason;
  }
}
