import type { EntryStatus, MailboxEntry } from "@reprise/contracts";

/** A place in a mailbox; the entry in it is replaced as its status changes. */
export interface MailboxSlot {
  readonly arrival: number;
  entry: MailboxEntry;
}

/** A change of an entry, with its time. */
export type EntryChange = { readonly status: EntryStatus; readonly updated_at: number } & Partial<
  Pick<MailboxEntry, "available_at" | "generation" | "attempts" | "last_error" | "reason" | "into_run">
>;

/**
 * The durable queue of one thread.
 * - `runs` holds the queued `run` entries in the order they go; `wakes` the queued `resume` and `cancel` entries.
 * - An entry that is not queued is in neither: what is over costs nothing.
 */
export class Mailbox {
  readonly slots: Set<MailboxSlot> = new Set();
  readonly runs: MailboxSlot[] = [];
  readonly wakes: MailboxSlot[] = [];
  /** Claimed and neither accepted nor given back. */
  readonly claimed: Set<MailboxSlot> = new Set();
  readonly #dedupe: Map<string, MailboxSlot> = new Map();
  #arrivals = 0;

  /** The number the next entry will have; unique in the thread. */
  get nextArrival(): number {
    return this.#arrivals + 1;
  }

  add(entry: MailboxEntry): MailboxSlot {
    this.#arrivals += 1;
    const slot: MailboxSlot = { arrival: this.#arrivals, entry };
    this.slots.add(slot);
    if (entry.dedupe_key !== undefined) this.#dedupe.set(entry.dedupe_key, slot);
    this.#enlist(slot);
    return slot;
  }

  findByDedupeKey(key: string): MailboxSlot | undefined {
    return this.#dedupe.get(key);
  }

  change(slot: MailboxSlot, change: EntryChange): void {
    this.#delist(slot);
    slot.entry = { ...slot.entry, ...change };
    this.#enlist(slot);
  }

  /** Forgets an entry that is over. */
  remove(slot: MailboxSlot): void {
    this.slots.delete(slot);
    const { dedupe_key } = slot.entry;
    if (dedupe_key !== undefined && this.#dedupe.get(dedupe_key) === slot) this.#dedupe.delete(dedupe_key);
  }

  /** Entries that nobody has finished with, queued or claimed. */
  get hasPending(): boolean {
    return this.runs.length > 0 || this.wakes.length > 0 || this.claimed.size > 0;
  }

  /** The `cancel` entry that waits for a run's owner. */
  findCancel(runId: string): MailboxEntry | undefined {
    const candidates = [...this.claimed, ...this.wakes];
    return candidates.find(({ entry }) => entry.kind === "cancel" && entry.run_id === runId)?.entry;
  }

  /** What a run at work may take in as its own. */
  get steering(): readonly MailboxEntry[] {
    return this.runs.flatMap(({ entry }) => (entry.busy_policy === "steer" ? [entry] : []));
  }

  #enlist(slot: MailboxSlot): void {
    if (slot.entry.status === "claimed") this.claimed.add(slot);
    if (slot.entry.status !== "queued") return;
    const queue = this.#queueOf(slot);
    let place = queue.length;
    while (place > 0 && goesBefore(slot, queue[place - 1])) place -= 1;
    queue.splice(place, 0, slot);
  }

  #delist(slot: MailboxSlot): void {
    this.claimed.delete(slot);
    if (slot.entry.status !== "queued") return;
    const queue = this.#queueOf(slot);
    const place = queue.indexOf(slot);
    if (place >= 0) queue.splice(place, 1);
  }

  #queueOf(slot: MailboxSlot): MailboxSlot[] {
    return slot.entry.kind === "run" ? this.runs : this.wakes;
  }
}

function goesBefore(slot: MailboxSlot, other: MailboxSlot | undefined): boolean {
  if (other === undefined) return false;
  if (slot.entry.priority !== other.entry.priority) return slot.entry.priority > other.entry.priority;
  return slot.arrival < other.arrival;
}
