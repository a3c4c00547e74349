import { type Claim, claimedRun } from "@reprise/contracts";
import { RunCancelled } from "../effects/outcomes.ts";
import type { Services } from "../loop/services.ts";
import { tenantKey } from "../thread/tenant-key.ts";
import { type Activation, isSuspect } from "./activation.ts";
import type { Housekeeping } from "./housekeeping.ts";

/** Keeps the right to what we work on: prolongs leases, gives up what we can no longer be sure of, passes cancellations on. */
export class LeaseKeeper {
  readonly #services: Services;
  readonly #housekeeping: Housekeeping;
  readonly #active = new Map<string, Activation>();
  #isRenewing = false;

  constructor(services: Services, housekeeping: Housekeeping) {
    this.#services = services;
    this.#housekeeping = housekeeping;
  }

  get all(): readonly Activation[] {
    return [...this.#active.values()];
  }

  /** How many slots are taken. */
  get atWork(): number {
    let count = 0;
    for (const { lent } of this.#active.values()) if (lent === 0) count += 1;
    return count;
  }

  get hasSuspect(): boolean {
    return this.all.some(({ claim }) => isSuspect(claim));
  }

  find(tenant: string, threadId: string): Activation | undefined {
    return this.#active.get(tenantKey(tenant, threadId));
  }

  add(activation: Activation): void {
    const key = keyOf(activation.claim);
    // We may have slept past our own lease and claimed the thread anew: who works for the old claim is to stop.
    const before = this.#active.get(key);
    if (before !== undefined && this.#isUncertain(before)) before.lose();
    this.#active.set(key, activation);
  }

  remove(activation: Activation): void {
    const key = keyOf(activation.claim);
    // A later claim of the same thread may already have replaced it.
    if (this.#active.get(key) === activation) this.#active.delete(key);
  }

  /** Throws when the claim may have run out unnoticed. */
  assertHeld(activation: Activation): void {
    if (this.#isUncertain(activation)) activation.lose();
    activation.loss.signal.throwIfAborted();
  }

  /** Stops what we can no longer be sure of, and prolongs the rest. Not awaited: a store that hangs must not stop the clock. */
  async renew(): Promise<void> {
    const { env, limits, store } = this.#services;
    for (const activation of this.#active.values()) if (this.#isUncertain(activation)) activation.lose();
    // What we gave up is not kept from others.
    const held = this.all.filter(({ loss }) => !loss.signal.aborted);
    if (this.#isRenewing || held.length === 0) return;
    this.#isRenewing = true;
    const startedAt = env.clock.mono();
    const claims = held.map(({ claim }) => claim);
    void this.#housekeeping.attempt(async () => {
      try {
        this.#takeRenewed(held, await store.operator.renew(claims, limits.leaseMs), startedAt);
      } finally {
        this.#isRenewing = false;
      }
    });
  }

  /** Passes a cancellation on to the run it is for. Decisions are read by the loop itself, at its gates. */
  async readInbox({ claim, controller }: Activation): Promise<void> {
    const runId = claimedRun(claim);
    if (runId === undefined) return;
    const { tenant, thread_id } = claim;
    const { cancel } = await this.#services.store.forTenant(tenant).readInbox(thread_id, runId);
    if (cancel !== undefined) controller.abort(new RunCancelled(cancel.entry_id, cancel.reason));
  }

  #takeRenewed(held: readonly Activation[], renewed: readonly Claim[], startedAt: number): void {
    const byThread = new Map(renewed.map((claim) => [keyOf(claim), claim]));
    for (const activation of held) {
      const still = byThread.get(keyOf(activation.claim));
      if (still?.epoch !== activation.claim.epoch) {
        activation.lose();
        continue;
      }
      // Nothing was heard of it: its time goes on.
      if (still === activation.claim) continue;
      this.#services.time.hear(still, this.#services.limits.leaseMs);
      activation.claim = still;
      activation.renewedAt = startedAt;
      // In case a signal got lost on its way.
      activation.mail.raise();
      void this.#housekeeping.attempt(() => this.readInbox(activation));
    }
  }

  /** Whether the store may think that our time is up. */
  #isUncertain({ renewedAt }: Activation): boolean {
    const { env, limits } = this.#services;
    return env.clock.mono() - renewedAt >= limits.leaseMs - limits.renewEveryMs;
  }
}

function keyOf({ tenant, thread_id }: Claim): string {
  return tenantKey(tenant, thread_id);
}
