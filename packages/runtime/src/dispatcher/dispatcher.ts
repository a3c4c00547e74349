import { type Claim, type NewEntry, RepriseError, type Submitted } from "@reprise/contracts";
import type { Services } from "../loop/services.ts";
import { activate, type ClaimHandle } from "./activate.ts";
import { Activation, isSuspect } from "./activation.ts";
import { giveBack, putOff } from "./give-back.ts";
import { Housekeeping } from "./housekeeping.ts";
import { LeaseKeeper } from "./lease-keeper.ts";
import type { PresenceKeeper } from "./presence-keeper.ts";
import { Pulse } from "./pulse.ts";
import { type StartedRun, startEntry, submitAndStart } from "./start-entry.ts";

/** How often the store is asked for its time. */
const ASK_TIME_MS = 60_000;

/** How long a run that was told to stop may take to do so. */
const ABORT_PAUSE_MS = 1_000;

/**
 * Takes work from the store: claims threads, runs activations, and gives everything back when it closes. The lease keeper keeps
 * the right to do it, on a timer of its own. Neither the loop nor a tool knows of leases.
 */
export class Dispatcher {
  readonly #services: Services;
  readonly #housekeeping: Housekeeping;
  readonly #leases: LeaseKeeper;
  readonly #presence: PresenceKeeper;
  readonly #pulse: Pulse;
  /** Takes no more work. */
  readonly #closed = new AbortController();
  /** Set when there is no more work: only then renewals and signals stop. */
  readonly #stopped = new AbortController();
  #stopListening: () => void = () => undefined;
  #claiming: Promise<void> = Promise.resolve();
  #isWoken = false;
  #reserved = 0;
  /** There may be work that was left where it is: there was no room for it, or the store could not be asked. */
  #mayBeMore = true;

  constructor(services: Services, presence: PresenceKeeper) {
    this.#services = services;
    this.#presence = presence;
    this.#pulse = new Pulse(services.env.clock);
    this.#housekeeping = new Housekeeping(services.env);
    this.#leases = new LeaseKeeper(services, this.#housekeeping);
  }

  get #room(): number {
    if (this.#closed.signal.aborted || this.#presence.isReplaced) return 0;
    return this.#services.limits.maxActiveRuns - this.#leases.atWork - this.#reserved;
  }

  /** Whether it takes no more work. Set once. */
  get isClosed(): boolean {
    return this.#closed.signal.aborted;
  }

  assertOpen(): void {
    if (this.isClosed) throw new RepriseError("RUNTIME_CLOSED", "The runtime is closed and accepts no more runs.");
  }

  /**
   * Puts an entry into its thread's mailbox. On an idle thread, with a free slot here, the entry, its first changeset and the claim are
   * one transaction, and work begins at once. Otherwise a process with a free slot claims the entry when its turn comes.
   */
  async submit(tenant: string, entry: NewEntry): Promise<Submitted> {
    if (this.#room <= 0 || entry.request.restore !== undefined) {
      return this.#services.store.forTenant(tenant).submit(entry);
    }
    this.#reserved++;
    try {
      const { submitted, started, askedAt } = await submitAndStart(this.#services, tenant, entry);
      if (submitted.status === "claimed" && started !== undefined) this.#adopt(submitted.claim, started, askedAt);
      return submitted;
    } finally {
      this.#reserved--;
      if (this.#mayBeMore) this.#wake();
    }
  }

  open(): void {
    const { signals, limits, time, store } = this.#services;
    this.#stopListening = signals.listen(({ kind, tenant, thread_id }) => {
      if (kind === "commit") return;
      // An entry on a thread we work on may be meant for its run.
      const active = this.#leases.find(tenant, thread_id);
      active?.mail.raise();
      if (kind === "work") this.#wake();
      else if (active !== undefined) void this.#housekeeping.attempt(() => this.#leases.readInbox(active));
    });
    void this.#housekeeping.every(limits.pollMs, this.#closed.signal, async () => this.#wake());
    // Claims tell the time too; a process without work has to ask.
    void this.#housekeeping.every(ASK_TIME_MS, this.#closed.signal, () => time.ask(store.operator));
    void this.#pulse.beat(limits.renewEveryMs, this.#stopped.signal, () =>
      this.#housekeeping.attempt(async () => {
        await this.#leases.renew();
        // Not awaited, like renewals: a store that hangs must not stop the clock.
        void this.#housekeeping.attempt(() => this.#announce());
      }),
    );
    this.#wake();
  }

  /** Keeps the process until the dispatcher stops, whether or not there is work. */
  stay(): void {
    this.#pulse.hold(this);
  }

  /** Whether another process has taken the name of this one, which then takes no more work. */
  get isReplaced(): boolean {
    return this.#presence.isReplaced;
  }

  /** The agents changed: other processes are told, and there may be work for the new ones. */
  redefined(): void {
    void this.#housekeeping.attempt(async () => {
      await this.#announce();
      this.#wake();
    });
  }

  /** Announces what can be run here. A process that was replaced stops its work: it belongs to another one. */
  async #announce(): Promise<void> {
    if (this.#services.limits.maxActiveRuns === 0) return;
    await this.#presence.announce();
    if (this.#presence.isReplaced)
      for (const activation of this.#leases.all) activation.lose("Another process took over.");
  }

  /** Works on a run that was claimed when it was submitted. A lease counts from when it was asked for. */
  #adopt(claim: Claim, started: StartedRun, askedAt: number): void {
    if (this.#closed.signal.aborted) {
      // Closed while it was being submitted: it is accepted, and another process runs it.
      void this.#housekeeping.attempt(() => this.#services.store.operator.release(claim));
      return;
    }
    const activation = new Activation(claim, { askedAt, mayHaveMail: false });
    this.#begin(activation, (handle) => activate(this.#services, claim, started, handle));
  }

  /** Takes no more work, lets runs finish for a while, and leaves the others to the next process that claims them. */
  async close(): Promise<void> {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    // Before the wait for what is at work: what others can do need not wait with it.
    await this.#housekeeping.attempt(() => this.#presence.withdraw());
    const { env, limits } = this.#services;
    const timeout = new AbortController();
    const timeIsUp = env.clock.sleep(limits.closeTimeoutMs, timeout.signal).catch(() => undefined);
    await Promise.race([this.#claiming, timeIsUp]);
    await Promise.race([Promise.all(this.#leases.all.map(({ finished }) => finished)), timeIsUp]);
    timeout.abort();
    await this.#leaveAll();
    this.#stopped.abort();
    this.#stopListening();
  }

  /** Stops the runs that are left and gives their claims back. One that hangs in the store keeps its claim: it runs out. */
  async #leaveAll(): Promise<void> {
    const { env, store } = this.#services;
    const left = this.#leases.all;
    if (left.length === 0) return;
    for (const activation of left) activation.lose("The runtime closed.");
    const timeout = new AbortController();
    const leaving = left.map(async ({ claim, finished }) => {
      await finished;
      await this.#housekeeping.attempt(() => store.operator.release(claim));
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
      await this.#housekeeping.attempt(() => this.#claim());
    });
  }

  async #claim(): Promise<void> {
    const { env, store, limits, owner, time, agents } = this.#services;
    this.#mayBeMore = true;
    if (this.#room <= 0 || !(await this.#presence.mayWork())) return;
    for (let limit = this.#room; limit > 0; limit = this.#room) {
      const askedAt = env.clock.mono();
      const abilities = agents.abilities();
      const claims = await store.operator.claim({ owner, lease_ms: limits.leaseMs, limit, abilities });
      for (const claim of claims) {
        // Before the work begins: a question whose time was up for the store must be so for its run.
        time.hear(claim, limits.leaseMs);
        this.#take(claim, askedAt);
      }
      this.#mayBeMore = claims.length === limit;
      if (!this.#mayBeMore) return;
    }
  }

  #take(claim: Claim, askedAt: number): void {
    if (isSuspect(claim) && this.#leases.hasSuspect) {
      void this.#housekeeping.attempt(() => putOff(this.#services, claim));
      return;
    }
    this.#begin(new Activation(claim, { askedAt, mayHaveMail: true }), (handle) => this.#work(claim, handle));
  }

  async #work(claim: Claim, handle: ClaimHandle): Promise<void> {
    const { run } = claim;
    if (claim.kind === "start") await activate(this.#services, claim, await startEntry(this.#services, claim), handle);
    else if (run !== undefined) await activate(this.#services, claim, { run }, handle);
  }

  #begin(activation: Activation, work: (handle: ClaimHandle) => Promise<void>): void {
    const { claim, controller, loss, mail } = activation;
    const handle: ClaimHandle = {
      signal: controller.signal,
      lost: loss.signal,
      mail,
      lendSlot: () => this.#lend(activation),
      assertHeld: () => this.#leases.assertHeld(activation),
    };
    // Before it begins: a run that was just started is at work at once, and may be looked for.
    this.#leases.add(activation);
    this.#pulse.hold(activation);
    activation.finished = work(handle)
      .catch((error: unknown) => giveBack(this.#services, claim, error))
      .finally(() => {
        this.#leases.remove(activation);
        this.#pulse.letGo(activation);
        // Reported also when it is too late to give the claim back: an owner that can report was slow, and its run is not to blame.
        if (loss.signal.aborted) void this.#housekeeping.attempt(() => this.#services.store.operator.release(claim));
        // Work that comes later is signalled; only what was left for want of room has to be looked for.
        if (this.#mayBeMore) this.#wake();
      });
  }

  /** Frees a slot for the runs a call waits for: calls that wait could otherwise hold every slot for ever. */
  #lend(activation: Activation): () => void {
    activation.lent++;
    if (this.#mayBeMore) this.#wake();
    return () => {
      activation.lent--;
    };
  }
}
