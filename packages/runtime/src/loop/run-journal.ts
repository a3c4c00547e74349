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
  readonly onCommit: readonly AgentEvent[];
  readonly last_seq: number;
}

/**
 * The events of an activation since its last commit. Some are emitted at once and become durable later; others are
 * emitted with the commit that makes them true, and numbered then. While a commit is under way nothing is numbered: events that
 * tools emit meanwhile follow after it.
 */
export class RunJournal {
  readonly #channel: LiveChannel;
  readonly #claim: Claim;
  readonly #run: JournalOptions["run"];
  readonly #now: () => number;
  #seq: number;
  #emitted: AgentEvent[] = [];
  #onCommit: Unnumbered[] = [];
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

  /** The number of the last event that was emitted. */
  get seq(): number {
    return this.#seq;
  }

  /** Emits an event at once. It becomes durable with the next commit, or is withdrawn. */
  emit<Type extends EventType>(type: Type, data: EventData[Type], stepId?: string): void {
    if (this.#isClosed) return;
    const timestamp = this.#now();
    if (this.#isSealed) {
      this.#delayed.push((seq) => this.#event(type, seq, timestamp, stepId, data));
      return;
    }
    this.#emitNow(this.#event(type, ++this.#seq, timestamp, stepId, data));
  }

  /** Emits an event with the next commit, which makes it true. */
  emitOnCommit<Type extends EventType>(type: Type, data: EventData[Type], stepId?: string): void {
    const timestamp = this.#now();
    this.#onCommit.push((seq) => this.#event(type, seq, timestamp, stepId, data));
  }

  /** Numbers the events that wait for a commit. Ended by `publish` when it succeeded, by `reopen` when it did not. */
  seal(): SealedEvents {
    this.#isSealed = true;
    this.#channel.isCommitting = true;
    let seq = this.#seq;
    const onCommit = this.#onCommit.map((number) => number(++seq));
    const events = onCommit.length === 0 ? this.#emitted : [...this.#emitted, ...onCommit];
    return { events, onCommit, last_seq: seq };
  }

  /** Emits the events that a commit made true. */
  publish({ onCommit, last_seq }: SealedEvents): void {
    this.#seq = last_seq;
    this.#emitted = [];
    this.#onCommit = [];
    const { epoch } = this.#claim;
    this.#channel.keepTail();
    for (const event of onCommit) this.#channel.publish({ epoch, event });
    this.reopen();
  }

  /** Numbers events again, beginning with those that came meanwhile. */
  reopen(): void {
    this.#isSealed = false;
    this.#channel.isCommitting = false;
    for (const number of this.#delayed.splice(0)) this.#emitNow(number(++this.#seq));
  }

  /** The run is done, and its end is committed. */
  end(run: RunRecord): void {
    this.#channel.end(run);
  }

  /** Events that were emitted and are not committed never will be. */
  giveUpTail(): void {
    this.#channel.forgetTail();
  }

  /** The activation is over. An abandoned tool may still report; its reports are dropped. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#channel.isCommitting = false;
    this.#channel.forgetTail();
    this.#channel.close();
  }

  /** Forgets the events that wait for a commit; emitted events stay emitted. */
  dropOnCommit(): void {
    this.#onCommit = [];
  }

  #emitNow(event: AgentEvent): void {
    this.#emitted.push(event);
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
