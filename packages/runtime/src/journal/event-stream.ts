import { type AgentEvent, type EventCursor, invalidRequest } from "@reprise/contracts";
import { awaitStart } from "./await-start.ts";
import { committedSeq } from "./committed-seq.ts";
import { EventReader, type Next } from "./event-reader.ts";
import { isUnderWay } from "./is-under-way.ts";
import type { JournalSources } from "./journal-sources.ts";

export interface ReadOptions {
  /** Continues after this event; from the start without it. */
  readonly after?: EventCursor;
  /** Stay while the run waits for decisions, until it is done. Without it the stream ends when the activation does. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
  /** How many unread live events are kept before the reader is sent to the journal. */
  readonly maxBehind?: number;
}

/** An event with the cursor that continues after it; an event that withdraws others has none of its own. */
export interface ReadEvent {
  readonly event: AgentEvent;
  readonly epoch: number;
}

/** Which run is read. */
export interface RunKey {
  readonly tenant: string;
  readonly threadId: string;
  /** The run that was asked for; one that steered another is that other one. */
  readonly runId: string;
}

/** Hands out events one by one. */
export interface EventIterator<Item> extends AsyncIterableIterator<Item, void> {
  /** The next event if it has arrived already, for writers of batches. Undefined says nothing about the end. */
  takeNow(): Item | undefined;
}

const DONE: IteratorResult<never, void> = { done: true, value: undefined };

/**
 * The events of a run from any cursor: what is committed, then what happens. Without gap or repeat of committed events; a
 * tail that was shown and never committed is withdrawn by a `stream_reset`. `project` shapes what is handed out.
 *
 * An iterator by hand: a generator costs every token a request object, a promise and a turn more.
 */
export class EventStream<Item> implements EventIterator<Item> {
  readonly #services: JournalSources;
  readonly #key: RunKey;
  readonly #options: ReadOptions;
  readonly #project: (read: ReadEvent) => Item;
  #reader: EventReader | undefined;
  #runId = "";
  #seq: number;
  #epoch: number;
  /** Shown before anything is read: what the cursor counted and never was committed. */
  #withdrawal: ReadEvent | undefined;
  /** The stream ends here unless the run continues. */
  #mayBeLast = false;
  #isOver = false;
  /** Those who asked before are answered before. */
  #turn: Promise<unknown> | undefined;
  /** Who waits for what happens next. */
  #waiter: PromiseWithResolvers<IteratorResult<Item, void>> | undefined;

  constructor(services: JournalSources, key: RunKey, options: ReadOptions, project: (read: ReadEvent) => Item) {
    this.#services = services;
    this.#key = key;
    this.#options = options;
    this.#project = project;
    this.#seq = options.after?.seq ?? 0;
    this.#epoch = options.after?.epoch ?? 0;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Item, void>> {
    const before = this.#turn;
    if (before !== undefined) return before.then(() => this.next());
    return this.#tryNow() ?? this.#inTurn(this.#advance());
  }

  takeNow(): Item | undefined {
    // Another reader is first, or will be told why there is nothing.
    if (this.#turn !== undefined || this.#services.closed.aborted) return undefined;
    const taken = this.#take();
    return taken?.done === false ? taken.value : undefined;
  }

  async return(): Promise<IteratorResult<Item, void>> {
    this.#end();
    return DONE;
  }

  /** The ordinary case: the next event is here, or the next thing to happen is that it comes. */
  #tryNow(): Promise<IteratorResult<Item, void>> | undefined {
    try {
      const taken = this.#take();
      if (taken !== undefined) return Promise.resolve(taken);
    } catch (error) {
      this.#end();
      return Promise.reject(error);
    }
    if (!this.#isWaitingAll) return undefined;
    const waiter = Promise.withResolvers<IteratorResult<Item, void>>();
    this.#waiter = waiter;
    this.#turn = waiter.promise;
    return waiter.promise;
  }

  /** Called by arbitrary code: nothing may be thrown here. */
  #hear(): void {
    const waiter = this.#waiter;
    if (waiter === undefined) return;
    this.#waiter = undefined;
    this.#turn = undefined;
    try {
      const taken = this.#take();
      waiter.resolve(taken ?? this.#inTurn(this.#advance()));
    } catch (error) {
      this.#end();
      waiter.reject(error);
    }
  }

  /** The next event, when it is here and nothing has to be looked at first. */
  #take(): IteratorResult<Item, void> | undefined {
    if (this.#isOver || this.#mayBeLast || this.#withdrawal !== undefined) return undefined;
    const next = this.#reader?.take(this.#seq, this.#epoch);
    return next === undefined ? undefined : this.#handOut(this.#read(next));
  }

  /** Whether nothing is to be done but to wait for what happens. */
  get #isWaitingAll(): boolean {
    if (this.#isOver || this.#mayBeLast || this.#withdrawal !== undefined) return false;
    return this.#options.signal?.aborted !== true && this.#reader?.isQuiet(this.#seq) === true;
  }

  /** A reader that asks meanwhile waits. */
  #inTurn(answer: Promise<IteratorResult<Item, void>>): Promise<IteratorResult<Item, void>> {
    const leave = (): void => {
      this.#turn = undefined;
    };
    this.#turn = answer.then(leave, leave);
    return answer;
  }

  async #advance(): Promise<IteratorResult<Item, void>> {
    if (this.#isOver) return DONE;
    try {
      const reader = this.#reader ?? (await this.#open());
      if (reader === undefined || (this.#mayBeLast && (await this.#isLast()))) return this.#end();
      if (this.#withdrawal !== undefined) return this.#handOut(this.#takeWithdrawal(this.#withdrawal));
      const { signal, follow = false } = this.#options;
      for (;;) {
        const next = signal?.aborted === true ? undefined : reader.take(this.#seq, this.#epoch);
        if (next !== undefined) return this.#handOut(this.#read(next));
        if (signal?.aborted === true || this.#isOver) return this.#end();
        const isThere = await reader.wait(this.#seq, this.#epoch, follow);
        if (!isThere) return this.#end();
      }
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  async #open(): Promise<EventReader | undefined> {
    const { tenant, threadId, runId: wantedId } = this.#key;
    const { after, signal } = this.#options;
    const runId = await awaitStart(this.#services, tenant, threadId, wantedId, signal);
    if (runId === undefined || this.#isOver) return undefined;
    if (after !== undefined && after.run_id !== runId)
      throw invalidRequest(`The cursor does not belong to run ${runId}.`);
    this.#runId = runId;
    this.#reader = new EventReader(
      this.#services,
      { tenant, threadId, runId },
      {
        afterSeq: this.#seq,
        signal,
        maxBehind: this.#options.maxBehind,
        onHeard: () => this.#hear(),
      },
    );
    if (after !== undefined) {
      const store = this.#services.store.forTenant(tenant);
      const committed = await committedSeq(store, after);
      if (committed < after.seq) this.#withdrawal = this.#reset(committed);
    }
    return this.#reader;
  }

  #takeWithdrawal(withdrawal: ReadEvent): ReadEvent {
    this.#withdrawal = undefined;
    return withdrawal;
  }

  #read(next: Next): ReadEvent {
    if ("withdraw" in next) return this.#reset(next.withdraw);
    const { event, epoch } = next;
    this.#seq = event.seq ?? this.#seq;
    this.#epoch = epoch;
    if (event.type === "run_finish") {
      if (event.data.termination.type === "suspended") this.#mayBeLast = this.#options.follow !== true;
      else this.#end();
    }
    return next;
  }

  /** The stream ends where the run waits now, and continues where it waited once. */
  async #isLast(): Promise<boolean> {
    this.#mayBeLast = false;
    const store = this.#services.store.forTenant(this.#key.tenant);
    const run = await store.loadRun(this.#runId);
    return run !== undefined && run.last_seq === this.#seq && !(await isUnderWay(store, run));
  }

  #reset(seq: number): ReadEvent {
    this.#seq = seq;
    const event: AgentEvent = {
      type: "stream_reset",
      run_id: this.#runId,
      thread_id: this.#key.threadId,
      timestamp_ms: this.#services.time.now(),
      data: { from_seq: seq },
    };
    return { event, epoch: this.#epoch };
  }

  #handOut(read: ReadEvent): IteratorResult<Item, void> {
    return { done: false, value: this.#project(read) };
  }

  #end(): IteratorResult<Item, void> {
    this.#isOver = true;
    this.#reader?.close();
    this.#waiter?.resolve(DONE);
    this.#waiter = undefined;
    return DONE;
  }
}
