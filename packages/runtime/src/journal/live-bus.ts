import type { AgentEvent, EventOf, RunRecord } from "@reprise/contracts";
import { tenantKey } from "../thread/tenant-key.ts";

/** An event on its way to readers, with the epoch that wrote it. */
export interface LiveEvent {
  readonly epoch: number;
  readonly event: AgentEvent;
}

type Listener = (event: LiveEvent) => void;

/** How a run ended, as its owner committed it. */
export interface RunEnding {
  readonly run: RunRecord;
  readonly finish: EventOf<"run_finish">;
}

/** What a run's owner shows through. Found once for an activation: a token costs no look into a table. */
export interface LiveChannel {
  /** Passes on an event that is not committed yet. */
  show(live: LiveEvent): void;
  /** Passes on an event that is committed. */
  publish(live: LiveEvent): void;
  /** The owner writes what it showed to the store, and will say what came of it. */
  isCommitting: boolean;
  /** What was shown is committed. */
  keepTail(): void;
  /** What was shown will never be committed. */
  forgetTail(): void;
  /** The run is done, and this is committed. */
  end(run: RunRecord): void;
  /** The owner shows nothing more. */
  close(): void;
}

/** How many committed events of a run are kept while its owner is here: readers that come later need not read the journal. */
const MAX_COMMITTED = 1_000;

/** How many ended runs are remembered: most readers of an outcome ask right away. */
const MAX_ENDINGS = 256;

/**
 * Events of the runs this process works on, as they happen. The run never waits for a reader: a listener only takes note. The events of
 * an activation are kept while it lasts, so that its readers here need nothing from the store; older ones are in the journal.
 */
export class LiveBus {
  readonly #channels = new Map<string, Channel>();
  readonly #endings = new Map<string, RunEnding>();

  /** Announces a run that was just started here with its first events, which are committed. Its owner opens the channel next. */
  start(tenant: string, runId: string, events: readonly LiveEvent[]): void {
    const channel = this.#channel(tenantKey(tenant, runId));
    channel.users += 1;
    channel.isStarting = true;
    for (const event of events) channel.publish(event);
  }

  /** The channel of a run, for its owner; to be closed. */
  open(tenant: string, runId: string): LiveChannel {
    const channel = this.#channel(tenantKey(tenant, runId));
    if (!channel.isStarting) channel.users += 1;
    channel.isStarting = false;
    channel.isOwned = true;
    return channel;
  }

  /** Passes on an event that is committed. */
  publish(tenant: string, live: LiveEvent): void {
    this.#channels.get(tenantKey(tenant, live.event.run_id))?.publish(live);
  }

  /** Whether the owner of a run is here: then everything that happens to the run is heard through the bus. */
  isOwned(tenant: string, runId: string): boolean {
    const channel = this.#channels.get(tenantKey(tenant, runId));
    return channel !== undefined && (channel.isOwned || channel.isStarting);
  }

  /** Whether a run's owner is here and about to say what it committed. */
  isCommitting(tenant: string, runId: string): boolean {
    return this.#channels.get(tenantKey(tenant, runId))?.isCommitting === true;
  }

  /** The owner of a run lost its claim: whatever happens to the run now happens elsewhere, however long its owner takes to stop. */
  disown(tenant: string, runId: string): void {
    this.#channels.get(tenantKey(tenant, runId))?.disown();
  }

  /** Resolves when the owner of a run is not here any more. */
  whenLeft(tenant: string, runId: string): Promise<void> {
    const channel = this.#channels.get(tenantKey(tenant, runId));
    return channel === undefined ? Promise.resolve() : new Promise((resolve) => channel.onLeft.push(resolve));
  }

  /** How a run ended, if that was here and not long ago. */
  ending(tenant: string, runId: string): RunEnding | undefined {
    return this.#endings.get(tenantKey(tenant, runId));
  }

  /**
   * Listens to a run, beginning with the events after a `seq` that are known here. `isWhole`: nothing lies between that `seq`
   * and what is heard, so that the journal need not be read.
   */
  listen(
    tenant: string,
    runId: string,
    afterSeq: number,
    listener: Listener,
  ): { readonly isWhole: boolean; readonly stop: () => void } {
    const channel = this.#channel(tenantKey(tenant, runId));
    channel.users += 1;
    const known = [...channel.committed, ...channel.tail];
    for (const live of known) if ((live.event.seq ?? 0) > afterSeq) listener(live);
    const first = known[0]?.event.seq;
    channel.listeners.push(listener);
    const stop = (): void => {
      const index = channel.listeners.indexOf(listener);
      if (index < 0) return;
      channel.listeners.splice(index, 1);
      channel.leave();
    };
    return { isWhole: this.isOwned(tenant, runId) && first !== undefined && first <= afterSeq + 1, stop };
  }

  #channel(key: string): Channel {
    const known = this.#channels.get(key);
    if (known !== undefined) return known;
    const made = new Channel(
      () => this.#channels.delete(key),
      (ending) => this.#remember(key, ending),
    );
    this.#channels.set(key, made);
    return made;
  }

  #remember(key: string, ending: RunEnding): void {
    this.#endings.set(key, ending);
    const oldest = this.#endings.size > MAX_ENDINGS ? this.#endings.keys().next().value : undefined;
    if (oldest !== undefined) this.#endings.delete(oldest);
  }
}

/** The channel of one run to its readers. It exists while there is a publisher or a listener. */
class Channel implements LiveChannel {
  readonly listeners: Listener[] = [];
  readonly #onUnused: () => void;
  readonly #onEnded: (ending: RunEnding) => void;
  committed: LiveEvent[] = [];
  tail: LiveEvent[] = [];
  isCommitting = false;
  isStarting = false;
  isOwned = false;
  users = 0;
  onLeft: (() => void)[] = [];

  constructor(onUnused: () => void, onEnded: (ending: RunEnding) => void) {
    this.#onUnused = onUnused;
    this.#onEnded = onEnded;
  }

  show(live: LiveEvent): void {
    this.tail.push(live);
    this.#tell(live);
  }

  publish(live: LiveEvent): void {
    this.#keep([live]);
    this.#tell(live);
  }

  keepTail(): void {
    if (this.tail.length === 0) return;
    this.#keep(this.tail);
    this.tail = [];
  }

  forgetTail(): void {
    if (this.tail.length > 0) this.tail = [];
  }

  end(run: RunRecord): void {
    const finish = this.committed.at(-1)?.event;
    if (finish?.type === "run_finish") this.#onEnded({ run, finish });
  }

  close(): void {
    this.disown();
    this.leave();
  }

  /** Without its owner the channel is not the first to hear of the run any more: what was kept is in the journal. */
  disown(): void {
    this.isOwned = false;
    this.committed = [];
    for (const resolve of this.onLeft.splice(0)) resolve();
  }

  leave(): void {
    this.users -= 1;
    if (this.users === 0) this.#onUnused();
  }

  #keep(events: readonly LiveEvent[]): void {
    this.committed.push(...events);
    if (this.committed.length > 2 * MAX_COMMITTED) this.committed = this.committed.slice(-MAX_COMMITTED);
  }

  #tell(live: LiveEvent): void {
    // By number: most runs have one reader, and an iterator a token would cost more than it does.
    for (let index = 0; index < this.listeners.length; index += 1) this.listeners[index]?.(live);
  }
}
