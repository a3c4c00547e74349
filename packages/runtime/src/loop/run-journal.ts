import type { AgentEvent, Claim, EventData, EventType, RunRecord } from "@reprise/contracts";
import type { LiveBus, LiveChannel } from "../journal/live-bus.ts";

export interface JournalOptions {
  readonly bus: LiveBus;
  readonly claim: Claim;
  readonly run: { readonly run_id: string; readonly thread_id: string; readonly last_seq: number };
  readonly now: () => number;
}

/** An event whose `seq` is not known yet. */
type Unnumbered = (seq: number) => AgentEvent;

/** The events a commit stores, and the last number among them. */
export interface SealedEvents {
  readonly events: readonly AgentEvent[];
  readonly held: readonly AgentEvent[];
  readonly last_seq: number;
}

/**
 * The events of an activation since its last commit. Some are shown at once and become durable later; others are held back
 * until the commit that makes them true, and numbered then. While a commit is under way nothing is numbered: what tools show
 * meanwhile follows after it.
 */
export class RunJournal {
  readonly #channel: LiveChannel;
  readonly #claim: Claim;
  readonly #run: JournalOptions["run"];
  readonly #now: () => number;
  #seq: number;
  #shown: AgentEvent[] = [];
  #held: Unnumbered[] = [];
  #delayed: Unnumbered[] = [];
  #isSealed = false;
  #isClosed = false;

  constructor({ bus, claim, run, now }: JournalOptions) {
    this.#channel = bus.open(claim.tenant, run.run_id);
    this.#claim = claim;
    this.#run = run;
    this.#now = now;
    this.#seq = run.last_seq;
  }

  /** The number of the last event that was shown. */
  get seq(): number {
    return this.#seq;
  }

  /** Shows an event at once. It becomes durable with the next commit, or is withdrawn. */
  show<Type extends EventType>(type: Type, data: EventData[Type], stepId?: string): void {
    if (this.#isClosed) return;
    const timestamp = this.#now();
    if (this.#isSealed) {
      this.#delayed.push((seq) => this.#event(type, seq, timestamp, stepId, data));
      return;
    }
    this.#showNow(this.#event(type, ++this.#seq, timestamp, stepId, data));
  }

  /** Keeps an event back until the next commit has made it true. */
  hold<Type extends EventType>(type: Type, data: EventData[Type], stepId?: string): void {
    const timestamp = this.#now();
    this.#held.push((seq) => this.#event(type, seq, timestamp, stepId, data));
  }

  /** Numbers what was held back, for a commit. Ended by `publish` when it succeeded, by `reopen` when it did not. */
  seal(): SealedEvents {
    this.#isSealed = true;
    this.#channel.isCommitting = true;
    let seq = this.#seq;
    const held = this.#held.map((complete) => complete(++seq));
    const events = held.length === 0 ? this.#shown : [...this.#shown, ...held];
    return { events, held, last_seq: seq };
  }

  /** Shows what a commit made true. */
  publish({ held, last_seq }: SealedEvents): void {
    this.#seq = last_seq;
    this.#shown = [];
    this.#held = [];
    const { epoch } = this.#claim;
    this.#channel.keepTail();
    for (const event of held) this.#channel.publish({ epoch, event });
    this.reopen();
  }

  /** Numbers events again, beginning with those that came meanwhile. */
  reopen(): void {
    this.#isSealed = false;
    this.#channel.isCommitting = false;
    for (const complete of this.#delayed.splice(0)) this.#showNow(complete(++this.#seq));
  }

  /** The run is done, and its end is committed. */
  end(run: RunRecord): void {
    this.#channel.end(run);
  }

  /** What was shown and is not committed never will be. */
  giveUpTail(): void {
    this.#channel.forgetTail();
  }

  /** The activation is over. A tool that nobody waits for any more may still speak; nobody hears it. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#channel.isCommitting = false;
    this.#channel.forgetTail();
    this.#channel.close();
  }

  /** Forgets what was held back; what was shown cannot be unshown. */
  dropHeld(): void {
    this.#held = [];
  }

  #showNow(event: AgentEvent): void {
    this.#shown.push(event);
    this.#channel.show({ epoch: this.#claim.epoch, event });
  }

  #event<Type extends EventType>(
    type: Type,
    seq: number,
    timestamp_ms: number,
    step_id: string | undefined,
    data: EventData[Type],
  ): AgentEvent {
    const { run_id, thread_id } = this.#run;
    // Type and data belong together by the signature; the compiler does not follow that through a union.
    return (
      step_id === undefined
        ? { type, run_id, thread_id, seq, timestamp_ms, data }
        : { type, run_id, thread_id, seq, timestamp_ms, step_id, data }
    ) as AgentEvent;
  }
}
