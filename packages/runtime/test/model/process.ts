import {
  type Changeset,
  type Claim,
  type Clock,
  type CommitGuard,
  type Env,
  RepriseError,
  type Store,
  type StoreSignal,
  type Submitted,
} from "@reprise/contracts";
import type { FakeEnv } from "@reprise/testkit";
import type { FlakyMethod, StopPoint } from "./scenario.ts";

/** A commit and what the store said to it. */
export interface TriedCommit {
  readonly changeset: Changeset;
  readonly epoch: number | null;
  /** Why it was refused; undefined when it was not. */
  readonly refusal: unknown;
}

/** What stops a process when it comes by. */
export interface Trap {
  readonly point: StopPoint;
  readonly stop: "die" | "pause";
  skip: number;
}

export interface ProcessPorts {
  readonly env: FakeEnv;
  readonly store: Store;
  /** Turns of the event loop a store call may take, at most. */
  readonly latency: number;
  readonly isDeaf: boolean;
  /** Called in the turn in which a claim was granted or prolonged, with the time it was asked for. */
  readonly onClaim: (process: FakeProcess, claim: Claim, askedAt: number) => void;
  /** Called when the store has answered a commit, before the process hears of it. */
  readonly onCommit: (process: FakeProcess, commit: TriedCommit) => void;
}

/**
 * A process that can die, or stand still for a while and not know it. Everything it has of the world goes through here: its
 * time, its store, its signals. A dead one hears nothing more; one that stood still hears everything at once.
 */
export class FakeProcess {
  readonly name: string;
  readonly env: Env;
  readonly store: Store;
  readonly traps: Trap[] = [];
  flaky: { readonly method: FlakyMethod; count: number; readonly isLate: boolean } = {
    method: "any",
    count: 0,
    isLate: false,
  };
  status: "alive" | "paused" | "dead" | "closed" = "alive";
  readonly #ports: ProcessPorts;
  #thawed = Promise.withResolvers<void>();

  constructor(name: string, ports: ProcessPorts) {
    this.name = name;
    this.#ports = ports;
    this.env = { ...ports.env, clock: this.#clock(), point: (point) => this.#pass(point as StopPoint) };
    this.store = this.#wrap(ports.store);
  }

  get isGone(): boolean {
    return this.status === "dead" || this.status === "closed";
  }

  die(): void {
    this.status = "dead";
  }

  pause(): void {
    if (this.status !== "alive") return;
    this.status = "paused";
    this.#thawed = Promise.withResolvers<void>();
  }

  thaw(): void {
    if (this.status !== "paused") return;
    this.status = "alive";
    this.#thawed.resolve();
  }

  /** Waits as long as the process stands still; for ever when it is dead. */
  async admit(): Promise<void> {
    while (this.status === "paused") await this.#thawed.promise;
    if (this.status === "dead") await new Promise<never>(() => undefined);
  }

  #pass(point: StopPoint): Promise<void> | undefined {
    const trap = this.status === "alive" ? this.traps.find((item) => item.point === point) : undefined;
    if (trap !== undefined && trap.skip-- <= 0) {
      this.traps.splice(this.traps.indexOf(trap), 1);
      if (trap.stop === "die") this.die();
      else this.pause();
    }
    return this.status === "alive" || this.status === "closed" ? undefined : this.admit();
  }

  #clock(): Clock {
    const { clock } = this.#ports.env;
    return {
      now: clock.now,
      mono: clock.mono,
      sleep: (ms, signal) => clock.sleep(ms, signal).then(() => this.admit()),
      after: (ms, callback) => {
        let isCancelled = false;
        const cancel = clock.after(ms, () => {
          if (this.status === "alive" || this.status === "closed") callback();
          else void this.admit().then(() => (isCancelled ? undefined : callback()));
        });
        return () => {
          isCancelled = true;
          cancel();
        };
      },
    };
  }

  #wrap(store: Store): Store {
    const { watch, ...operator } = store.operator;
    return {
      durability: store.durability,
      forTenant: (tenant) => this.#wrapMethods(store.forTenant(tenant)),
      operator: {
        ...this.#wrapMethods(operator),
        watch: (listener) => watch((signal) => this.#hear(signal, listener)),
      },
      close: () => store.close(),
    };
  }

  #wrapMethods<Methods extends object>(methods: Methods): Methods {
    const wrapped = Object.entries(methods).map(([name, method]) => [
      name,
      (...args: unknown[]) => this.#call(name, args, () => method(...args)),
    ]);
    // The same names with the same arguments and answers, only later.
    return Object.fromEntries(wrapped) as Methods;
  }

  async #call(name: string, args: readonly unknown[], perform: () => Promise<unknown>): Promise<unknown> {
    await this.#pass("store:before");
    await this.#linger();
    const { method } = this.flaky;
    const isFlaky = (method === "any" || method === name) && this.flaky.count-- > 0;
    if (isFlaky && !this.flaky.isLate) throw unavailable();
    const askedAt = this.#ports.env.clock.mono();
    const [outcome] = await Promise.allSettled([perform()]);
    if (outcome.status === "fulfilled") this.#noteClaims(name, outcome.value, askedAt);
    if (name === "commit") this.#noteCommit(args, outcome);
    await this.#linger();
    await this.#pass("store:after");
    if (isFlaky) throw unavailable();
    if (outcome.status === "rejected") throw outcome.reason;
    return outcome.value;
  }

  async #linger(): Promise<void> {
    const turns = Math.floor(this.#ports.env.random() * (this.#ports.latency + 1));
    for (let turn = 0; turn < turns; turn += 1) await this.#ports.env.yield();
  }

  // By the name of the method the arguments and answers have its types.
  #noteClaims(name: string, answer: unknown, askedAt: number): void {
    const { onClaim } = this.#ports;
    if (name === "claim" || name === "renew") {
      for (const claim of answer as readonly Claim[]) onClaim(this, claim, askedAt);
    }
    const submitted = name === "submit" ? (answer as Submitted) : undefined;
    if (submitted?.status === "claimed") onClaim(this, submitted.claim, askedAt);
  }

  #noteCommit(args: readonly unknown[], outcome: PromiseSettledResult<unknown>): void {
    const [changeset, { epoch }] = args as [Changeset, CommitGuard];
    const refusal: unknown = outcome.status === "rejected" ? outcome.reason : undefined;
    this.#ports.onCommit(this, { changeset, epoch, refusal });
  }

  #hear(signal: StoreSignal, listener: (signal: StoreSignal) => void): void {
    if (this.#ports.isDeaf && signal.kind === "work") return;
    if (this.status === "alive") listener(signal);
    else void this.admit().then(() => listener(signal));
  }
}

function unavailable(): RepriseError {
  return new RepriseError("STORE_UNAVAILABLE", "The store does not answer.");
}
