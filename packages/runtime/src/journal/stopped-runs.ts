import type { RepriseError } from "@reprise/contracts";
import { tenantKey } from "../thread/tenant-key.ts";

/**
 * Runs that this process had to leave in the middle, and why, for the clients that wait for them: the store is full, or
 * what it has of the thread cannot be read. Nothing of it is durable, because nothing can be written; the run continues when it can.
 */
export class StoppedRuns {
  readonly #reasons = new Map<string, RepriseError>();

  stop(tenant: string, runId: string, reason: RepriseError): void {
    this.#reasons.set(tenantKey(tenant, runId), reason);
  }

  /** The run is being worked on again. */
  goOn(tenant: string, runId: string): void {
    if (this.#reasons.size > 0) this.#reasons.delete(tenantKey(tenant, runId));
  }

  assertNotStopped(tenant: string, runId: string): void {
    const reason = this.#reasons.size === 0 ? undefined : this.#reasons.get(tenantKey(tenant, runId));
    if (reason !== undefined) throw reason;
  }
}
