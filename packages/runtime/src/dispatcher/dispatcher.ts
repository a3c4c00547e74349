import { type Claim, type RunRecord, toRepriseError } from "@reprise/contracts";
import { MailFlag } from "../loop/mail-flag.ts";
import type { Services } from "../services.ts";
import { tenantKey } from "../thread/tenant-key.ts";
import { activate, type Lease } from "./activate.ts";
import { ClaimLost, RunCancelled } from "./outcomes.ts";
import { startEntry } from "./start-entry.ts";

/** A claim we work on. */
interface Activation {
  claim: Claim;
  readonly controller: AbortController;
  /** Aborted when the claim is gone, also when the run was cancelled before. */
  readonly loss: AbortController;
  readonly mail: MailFlag;
  /** How many of its calls have runs below them work for them: meanwhile its place is theirs. */
  lent: number;
  finished: Promise<void>;
  /** By our own clock, which never goes back. */
  renewedAt: number;
}

/** What is known of an activation when it begins. */
interface Beginning {
  readonly claim: Claim;
  readonly askedAt: number;
  /** Whether something may have come for the run before we listened. */
  readonly mayHaveMail: boolean;
}

/** The run a claim is for. One to start may name the waiting run it supersedes; the run that counts is its own. */
function runOf(claim: Claim): string | undefined {
  return claim.kind === "start" ? claim.entry?.run_id : claim.run?.run_id;
}

const RETRY_PAUSE_MS = 250;
const LONGEST_RETRY_PAUSE_MS = 30_000;

/** Longer from attempt to attempt: an outage of minutes must not make a dead letter of what was accepted. */
function retryPause({ entry }: Claim): number {
  return Math.min(RETRY_PAUSE_MS * 2 ** (entry?.attempts ?? 0), LONGEST_RETRY_PAUSE_MS);
}

/** How long a run that was told to stop may take to do so. */
const ABORT_PAUSE_MS = 1_000;

/**
 * Takes work from the store and keeps the right to do it: claims threads, runs activations, renews leases on its own timer,
 * passes cancellations on, and gives everything back when it closes. Neither the loop nor a tool knows of leases.
 */
export class Dispatcher {
  readonly #services: Services;
  readonly #active = new Map<string, Activation>();
  /** Takes no more work. */
  readonly #closed = new AbortController();
  /** Has no more work: only then nothing is renewed and nobody is heard any more. */
  readonly #stopped = new AbortController();
  #stopListening: () => void = () => undefined;
  #claiming: Promise<void> = Promise.resolve();
  #isWoken = false;
  #reserved = 0;
  #isRenewing = false;

  constructor(services: Services) {
    this.#services = services;
  }

  get #room(): number {
    if (this.#closed.signal.aborted) return 0;
    const atWork = [...this.#active.values()].filter(({ lent }) => lent === 0).length;
    return this.#services.limits.maxActiveRuns - atWork - this.#reserved;
  }

  /** Keeps a place free while something is submitted; returns the way to give it up. Undefined when there is none. */
  reserve(): (() => void) | undefined {
    if (this.#room <= 0) return undefined;
    this.#reserved++;
    return () => {
      this.#reserved--;
      this.#wake();
    };
  }

  open(): void {
    const { signals, limits } = this.#services;
    this.#stopListening = signals.listen(({ kind, tenant, thread_id }) => {
      const key = tenantKey(tenant, thread_id);
      // An entry on a thread we work on may be meant for its run.
      if (kind !== "commit") this.#active.get(key)?.mail.raise();
      if (kind === "work") this.#wake();
      else if (kind === "inbox") void this.#attempt(() => this.#readInbox(key));
    });
    void this.#every(limits.pollMs, this.#closed.signal, async () => this.#wake());
    void this.#every(limits.renewEveryMs, this.#stopped.signal, () => this.#renew());
    this.#wake();
  }

  /** Works on a run that was claimed when it was submitted. A lease counts from when it was asked for. */
  adopt(claim: Claim, run: RunRecord, askedAt: number): void {
    if (this.#closed.signal.aborted) {
      // Closed while it was being submitted: it is accepted, and somebody else's.
      void this.#attempt(() => this.#services.store.operator.release(claim));
      return;
    }
    const work = (lease: Lease): Promise<void> => activate(this.#services, claim, run, lease);
    this.#begin({ claim, askedAt, mayHaveMail: false }, work);
  }

  /** Takes no more work, lets runs come to their end for a while, and leaves the others to whoever claims them next. */
  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    const { env, limits } = this.#services;
    const timeout = new AbortController();
    const timeIsUp = env.clock.sleep(limits.closeTimeoutMs, timeout.signal).catch(() => undefined);
    await Promise.race([this.#claiming, timeIsUp]);
    await Promise.race([Promise.all([...this.#active.values()].map(({ finished }) => finished)), timeIsUp]);
    timeout.abort();
    await this.#leaveAll();
    this.#stopped.abort();
    this.#stopListening();
  }

  /** Stops the runs that are left and gives their claims back. One that hangs in the store keeps its claim: it runs out. */
  async #leaveAll(): Promise<void> {
    const { env, store } = this.#services;
    const left = [...this.#active.values()];
    if (left.length === 0) return;
    for (const activation of left) this.#lose(activation, "The runtime closed.");
    const timeout = new AbortController();
    const leaving = left.map(async ({ claim, finished }) => {
      await finished;
      await this.#attempt(() => store.operator.release(claim));
    });
    await Promise.race([Promise.all(leaving), env.clock.sleep(ABORT_PAUSE_MS, timeout.signal).catch(() => undefined)]);
    timeout.abort();
  }

  /** Claims what there is room for; called again while claiming, it looks once more afterwards. */
  #wake(): void {
    if (this.#isWoken || this.#closed.signal.aborted) return;
    this.#isWoken = true;
    this.#claiming = this.#claiming.then(async () => {
      this.#isWoken = false;
      await this.#attempt(() => this.#claim());
    });
  }

  async #claim(): Promise<void> {
    const { env, store, limits, owner } = this.#services;
    for (let limit = this.#room; limit > 0; limit = this.#room) {
      const askedAt = env.clock.mono();
      const claims = await store.operator.claim({ owner, lease_ms: limits.leaseMs, limit });
      for (const claim of claims) {
        this.#begin({ claim, askedAt, mayHaveMail: true }, (lease) => this.#work(claim, lease));
      }
      if (claims.length < limit) return;
    }
  }

  async #work(claim: Claim, lease: Lease): Promise<void> {
    const run = claim.kind === "start" ? await startEntry(this.#services, claim) : claim.run;
    if (run !== undefined) await activate(this.#services, claim, run, lease);
  }

  #begin({ claim, askedAt, mayHaveMail }: Beginning, work: (lease: Lease) => Promise<void>): void {
    const key = tenantKey(claim.tenant, claim.thread_id);
    const controller = new AbortController();
    const mail = new MailFlag(mayHaveMail);
    const loss = new AbortController();
    const activation: Activation = {
      claim,
      controller,
      loss,
      mail,
      lent: 0,
      finished: Promise.resolve(),
      renewedAt: askedAt,
    };
    const lease: Lease = {
      signal: controller.signal,
      lost: loss.signal,
      mail,
      lendPlace: () => this.#lend(activation),
      assertHeld: () => {
        if (this.#isUncertain(activation)) this.#lose(activation);
        controller.signal.throwIfAborted();
      },
    };
    activation.finished = work(lease)
      .catch((error: unknown) => this.#giveBack(claim, error))
      .finally(() => {
        // A later claim of the same thread may already stand in its place.
        if (this.#active.get(key) === activation) this.#active.delete(key);
        this.#wake();
      });
    // We may have slept past our own lease and claimed the thread anew: who works for the old claim is to stop.
    const before = this.#active.get(key);
    if (before !== undefined && this.#isUncertain(before)) this.#lose(before);
    this.#active.set(key, activation);
  }

  /** Frees a place for the runs a call waits for: all places held by such calls would be held for ever. */
  #lend(activation: Activation): () => void {
    activation.lent++;
    this.#wake();
    return () => {
      activation.lent--;
    };
  }

  /** What could not be started, or not be gone on with, is tried again later, here or elsewhere. */
  async #giveBack(claim: Claim, error: unknown): Promise<void> {
    const { env, store } = this.#services;
    const problem = toRepriseError(error).message;
    env.log("error", "work was given back", { thread_id: claim.thread_id, kind: claim.kind, problem });
    this.#services.threads.forget(claim.tenant, claim.thread_id);
    try {
      await store.operator.release(claim, { error: problem, retry_at: env.clock.now() + retryPause(claim) });
    } catch (failure) {
      env.log("error", "a claim could not be given back", { problem: toRepriseError(failure).message });
    }
  }

  /** Passes a cancellation on to the run it is for. Decisions are read by the loop itself, at its gates. */
  async #readInbox(key: string): Promise<void> {
    const active = this.#active.get(key);
    if (active === undefined) return;
    const { claim } = active;
    const runId = runOf(claim);
    if (runId === undefined) return;
    const { tenant, thread_id } = claim;
    const { cancel } = await this.#services.store.forTenant(tenant).readInbox(thread_id, runId);
    if (cancel !== undefined) active.controller.abort(new RunCancelled(cancel.entry_id, cancel.reason));
  }

  /** Stops what we can no longer be sure of, and prolongs the rest. Not awaited: a store that hangs must not stop the clock. */
  async #renew(): Promise<void> {
    const { env, limits, store } = this.#services;
    for (const activation of this.#active.values()) if (this.#isUncertain(activation)) this.#lose(activation);
    // What we gave up is not kept from others.
    const held = [...this.#active.values()].filter(({ loss }) => !loss.signal.aborted);
    if (this.#isRenewing || held.length === 0) return;
    this.#isRenewing = true;
    const startedAt = env.clock.mono();
    const claims = held.map(({ claim }) => claim);
    void this.#attempt(async () => {
      try {
        this.#takeRenewed(held, await store.operator.renew(claims, limits.leaseMs), startedAt);
      } finally {
        this.#isRenewing = false;
      }
    });
  }

  #takeRenewed(held: readonly Activation[], renewed: readonly Claim[], startedAt: number): void {
    const byThread = new Map(renewed.map((claim) => [tenantKey(claim.tenant, claim.thread_id), claim]));
    for (const activation of held) {
      const key = tenantKey(activation.claim.tenant, activation.claim.thread_id);
      const still = byThread.get(key);
      if (still?.epoch !== activation.claim.epoch) {
        this.#lose(activation);
        continue;
      }
      activation.claim = still;
      activation.renewedAt = startedAt;
      // In case a signal got lost on its way.
      activation.mail.raise();
      void this.#attempt(() => this.#readInbox(key));
    }
  }

  /** Whether the store may think that our time is up. */
  #isUncertain({ renewedAt }: Activation): boolean {
    const { env, limits } = this.#services;
    return env.clock.mono() - renewedAt >= limits.leaseMs - limits.renewEveryMs;
  }

  #lose({ claim, controller, loss }: Activation, why = `The claim on thread ${claim.thread_id} was lost.`): void {
    const reason = new ClaimLost(why);
    controller.abort(reason);
    loss.abort(reason);
  }

  async #every(ms: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await this.#services.env.clock.sleep(ms, signal, { background: true }).catch(() => undefined);
      if (!signal.aborted) await this.#attempt(work);
    }
  }

  /** Housekeeping goes on whatever happens: a problem is logged, and the next round tries again. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#services.env.log("error", "the dispatcher met a problem", { problem: toRepriseError(error).message });
    }
  }
}
