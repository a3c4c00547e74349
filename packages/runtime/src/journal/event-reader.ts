import type { LiveEvent, TenantStore } from "@reprise/contracts";
import { committedSeq } from "./committed-seq.ts";
import type { RunKey } from "./event-stream.ts";
import { isUnderWay } from "./is-under-way.ts";
import type { JournalSources } from "./journal-sources.ts";

/** The next event, or that everything after a `seq` is withdrawn. */
export type Next = LiveEvent | { readonly withdraw: number };

/** More than this many unread live events, and a reader is sent to the journal for what it missed. */
const MAX_BEHIND = 1_000;

/** How many commits of the journal are read at once: a long run is not held whole by each of its readers. */
const COMMITS_AT_ONCE = 64;

const nothing = (): void => undefined;

/** From where, and whom to tell. */
interface ReaderOptions {
  readonly afterSeq: number;
  readonly signal: AbortSignal | undefined;
  readonly maxBehind?: number | undefined;
  readonly onHeard: () => void;
}

/** Merges the journal of a run with the live events of this process. */
export class EventReader {
  readonly #store: TenantStore;
  readonly #runId: string;
  /** Read from the journal, not handed out yet. */
  #ready: LiveEvent[] = [];
  #position = 0;
  #live: LiveEvent[] = [];
  /** How many of the live ones were taken: taking from the front of a list moves the rest of it. */
  #taken = 0;
  #hasMissed = true;
  /** Live events were not kept: only the journal has them, once they are committed. */
  #hasDropped = false;
  /** The last event handed out may never be committed: it was heard live. */
  #isProvisional = false;
  /** Something happened to the thread since we last looked whether the run is over. */
  #mayBeOver = true;
  /** Who waits in `wait`. */
  #resume: () => void = nothing;
  readonly #onHeard: () => void;
  readonly #stops: (() => void)[];

  readonly #closed: AbortSignal;
  readonly #assertNotStopped: () => void;

  constructor(
    services: JournalSources,
    { tenant, threadId, runId }: RunKey,
    { afterSeq, signal, maxBehind = MAX_BEHIND, onHeard }: ReaderOptions,
  ) {
    this.#onHeard = onHeard;
    this.#closed = services.closed;
    this.#assertNotStopped = () => services.stopped.assertNotStopped(tenant, runId);
    this.#store = services.store.forTenant(tenant);
    this.#runId = runId;
    const { isWhole, stop } = services.bus.listen(tenant, runId, afterSeq, (event) => {
      if (this.#live.length - this.#taken < maxBehind) this.#live.push(event);
      else this.#hasMissed = this.#hasDropped = true;
      this.#wake();
    });
    // With the owner here and everything since the cursor heard, neither the journal nor the run's row has to be read.
    if (isWhole && !this.#hasDropped) this.#hasMissed = this.#mayBeOver = false;
    this.#stops = [
      stop,
      // Another process only tells that something happened to the thread; an owner here says itself what it committed.
      services.signals.listenTo(tenant, threadId, (kind) => {
        if (kind === "commit" && !this.#hasDropped && services.bus.isCommitting(tenant, runId)) return;
        if (kind === "commit") this.#hasMissed = true;
        this.#mayBeOver = true;
        this.#wake();
      }),
    ];
    if (signal !== undefined) this.#wakeOnAbort(signal);
  }

  /** The event after a position if it has arrived already: most have, and then no wait is needed. */
  take(seq: number, epoch: number): Next | undefined {
    this.#closed.throwIfAborted();
    return this.#takeReady(seq, epoch) ?? this.#takeLive(seq, epoch);
  }

  /** Whether nothing is to be done but to wait for what happens. */
  isQuiet(seq: number): boolean {
    return !this.#hasMissed && !this.#mayBeOver && (this.#firstLive === undefined || this.#isBehindGap(seq));
  }

  /** Waits until there may be an event after a position; false when there will be none. */
  async wait(seq: number, epoch: number, follow: boolean): Promise<boolean> {
    if (this.#hasMissed) await this.#readJournal(seq, epoch);
    else if (this.#mayBeOver) {
      this.#mayBeOver = false;
      if (await this.#isOver(seq, epoch, follow)) return false;
    } else if (this.isQuiet(seq)) await this.#hear();
    return true;
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.#wake();
  }

  #wakeOnAbort(signal: AbortSignal): void {
    const wake = (): void => this.#wake();
    signal.addEventListener("abort", wake, { once: true });
    this.#stops.push(() => signal.removeEventListener("abort", wake));
  }

  #takeReady(seq: number, epoch: number): Next | undefined {
    while (this.#position < this.#ready.length) {
      const item = this.#ready[this.#position] as LiveEvent;
      const itemSeq = item.event.seq ?? 0;
      if (itemSeq <= seq && item.epoch > epoch) return { withdraw: itemSeq - 1 };
      this.#position++;
      this.#isProvisional = false;
      if (itemSeq > seq) return item;
    }
    return undefined;
  }

  /** The next live event when it follows directly; one from a later epoch may first withdraw what came before. */
  #takeLive(seq: number, epoch: number): Next | undefined {
    for (let item = this.#firstLive; item !== undefined; item = this.#firstLive) {
      const itemSeq = item.event.seq ?? 0;
      if (item.epoch > epoch && itemSeq <= seq) return { withdraw: itemSeq - 1 };
      if (item.epoch >= epoch && itemSeq > seq + 1) return undefined;
      this.#dropFirstLive();
      this.#isProvisional = true;
      // An owner that was replaced may not know it yet; what it shows will never be committed.
      if (item.epoch >= epoch && itemSeq === seq + 1) return item;
    }
    return undefined;
  }

  get #firstLive(): LiveEvent | undefined {
    return this.#live[this.#taken];
  }

  #dropFirstLive(): void {
    this.#taken += 1;
    if (this.#taken < this.#live.length && this.#taken < MAX_BEHIND) return;
    this.#live = this.#live.slice(this.#taken);
    this.#taken = 0;
  }

  /** Live events are ahead of us, and what lies between is not committed yet. */
  #isBehindGap(seq: number): boolean {
    const first = this.#firstLive?.event.seq;
    return first !== undefined && first > seq + 1;
  }

  async #readJournal(seq: number, epoch: number): Promise<void> {
    this.#hasMissed = false;
    this.#ready = [];
    const shared = await this.#sharedSeq(seq, epoch);
    const segments = await this.#store.readEvents(this.#runId, shared, COMMITS_AT_ONCE);
    // The end of a run is an event: a reader with new events need not look at the run as well.
    if (segments.length > 0) this.#mayBeOver = false;
    // There may be more, and it is read when these are taken.
    if (segments.length === COMMITS_AT_ONCE) this.#hasMissed = true;
    this.#ready = segments.flatMap((segment) => segment.events.map((event) => ({ epoch: segment.epoch, event })));
    this.#position = 0;
  }

  /** The last event that is certainly the same for us and the journal. */
  async #sharedSeq(seq: number, epoch: number): Promise<number> {
    if (epoch === 0 || !this.#isProvisional) return seq;
    return committedSeq(this.#store, { run_id: this.#runId, epoch, seq });
  }

  /** Whether everything was read of a run that no worker has. */
  async #isOver(seq: number, epoch: number, follow: boolean): Promise<boolean> {
    const run = await this.#store.loadRun(this.#runId);
    // A later owner may have ended the run at or before the `seq` of a tail that was shown here and never committed.
    if (run === undefined || run.last_seq > seq || run.last_seq > (await this.#sharedSeq(seq, epoch))) {
      this.#hasMissed = run !== undefined;
      return run === undefined;
    }
    if (run.status === "done") return true;
    this.#assertNotStopped();
    return run.status === "waiting" && !follow && !(await isUnderWay(this.#store, run));
  }

  #hear(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  #wake(): void {
    const resume = this.#resume;
    // Once: resolving what is resolved already goes through the platform, which costs more than the event itself.
    this.#resume = nothing;
    resume();
    this.#onHeard();
  }
}
