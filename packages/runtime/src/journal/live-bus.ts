import type { EventOf, LiveEvent, LiveRelay, RunRecord } from "@reprise/contracts";
import { tenantKey } from "../thread/tenant-key.ts";

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
  /** To and from other processes, where there is a way. */
  readonly #relay: LiveRelay | undefined;
  readonly #stopServing: (() => void) | undefined;

  constructor(relay?: LiveRelay) {
    this.#relay = relay;
    this.#stopServing = relay?.serve(({ tenant, run_id }) => {
      const channel = this.#channels.get(tenantKey(tenant, run_id));
      return channel?.isOwned === true ? channel.tail : [];
    });
  }

  /** Readers in other processes hear nothing more from here. */
  close(): void {
    this.#stopServing?.();
  }

  /** Announces a run that was just started here with its first events, which are committed. Its owner opens the channel next. */
  start(tenant: string, runId: string, events: readonly LiveEvent[]): void {
    const channel = this.#channel(tenant, runId);
    channel.users += 1;
    channel.isStarting = true;
    for (const event of events) channel.publish(event);
  }

  /** The channel of a run, for its owner; to be closed. */
  open(tenant: string, runId: string): LiveChannel {
    const channel = this.#channel(tenant, runId);
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
    const channel = this.#channel(tenant, runId);
    channel.users += 1;
    const known = [...channel.committed, ...channel.tail];
    for (const live of known) if ((live.event.seq ?? 0) > afterSeq) listener(live);
    const first = known[0]?.event.seq;
    channel.listeners = [...channel.listeners, listener];
    let isListening = true;
    let stopFollowing: (() => void) | undefined;
    const follow = (): void => {
      if (isListening) stopFollowing ??= this.#relay?.follow({ tenant, run_id: runId }, listener);
    };
    // While the owner is here, it is heard without a relay.
    if (!this.isOwned(tenant, runId)) follow();
    else if (this.#relay !== undefined) channel.onLeft.push(follow);
    const stop = (): void => {
      if (!isListening) return;
      isListening = false;
      stopFollowing?.();
      channel.listeners = channel.listeners.filter((each) => each !== listener);
      channel.leave();
    };
    return { isWhole: this.isOwned(tenant, runId) && first !== undefined && first <= afterSeq + 1, stop };
  }

  #channel(tenant: string, runId: string): Channel {
    const key = tenantKey(tenant, runId);
    const known = this.#channels.get(key);
    if (known !== undefined) return known;
    const relay = this.#relay;
    const made = new Channel({
      onUnused: () => this.#channels.delete(key),
      onEnded: (ending) => this.#remember(key, ending),
      relay: relay && ((live) => relay.show(tenant, live)),
    });
    this.#channels.set(key, made);
    return made;
  }

  #remember(key: string, ending: RunEnding): void {
    this.#endings.set(key, ending);
    const oldest = this.#endings.size > MAX_ENDINGS ? this.#endings.keys().next().value : undefined;
    if (oldest !== undefined) this.#endings.delete(oldest);
  }
}

/** What a channel needs of the bus. */
interface ChannelPorts {
  onUnused(): void;
  onEnded(ending: RunEnding): void;
  /** Passes an event on to other processes. */
  readonly relay: Listener | undefined;
}

/** The channel of one run to its readers. It exists while there is a publisher or a listener. */
class Channel implements LiveChannel {
  /** Replaced when it changes, never changed in place: a listener may leave while all are being told. */
  listeners: readonly Listener[] = [];
  readonly #ports: ChannelPorts;
  committed: LiveEvent[] = [];
  tail: LiveEvent[] = [];
  isCommitting = false;
  isStarting = false;
  isOwned = false;
  users = 0;
  onLeft: (() => void)[] = [];

  constructor(ports: ChannelPorts) {
    this.#ports = ports;
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
    if (finish?.type === "run_finish") this.#ports.onEnded({ run, finish });
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
    if (this.users === 0) this.#ports.onUnused();
  }

  #keep(events: readonly LiveEvent[]): void {
    this.committed.push(...events);
    if (this.committed.length > 2 * MAX_COMMITTED) this.committed = this.committed.slice(-MAX_COMMITTED);
  }

  #tell(live: LiveEvent): void {
    // By number: most runs have one reader, and an iterator a token would cost more than it does.
    const { listeners } = this;
    this.#ports.relay?.(live);
    for (let index = 0; index < listeners.length; index += 1) listeners[index]?.(live);
  }
}
