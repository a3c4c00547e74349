import { placeOf } from "../kernel/rows.ts";
import type { EntryCell } from "./cells.ts";
import { RunQueue } from "./run-queue.ts";

/** The entries of one thread, by what is asked of them. */
export class Mailbox {
  readonly entries: Map<string, EntryCell> = new Map();
  readonly queue: RunQueue = new RunQueue();
  /** Pending ones that are not queued runs. */
  readonly held: Map<string, EntryCell> = new Map();
  readonly #byDedupeKey = new Map<string, EntryCell>();

  findByDedupeKey(key: string): EntryCell | undefined {
    return this.#byDedupeKey.get(key);
  }

  add(cell: EntryCell): void {
    const { entry_id, dedupe_key } = cell.row.entry;
    this.entries.set(entry_id, cell);
    if (dedupe_key !== undefined) this.#byDedupeKey.set(dedupe_key, cell);
    const place = placeOf(cell.row.entry);
    if (place === "run") this.queue.add(cell);
    else if (place !== null) this.held.set(entry_id, cell);
  }

  remove(cell: EntryCell): void {
    const { entry_id, dedupe_key } = cell.row.entry;
    this.entries.delete(entry_id);
    if (dedupe_key !== undefined && this.#byDedupeKey.get(dedupe_key) === cell) this.#byDedupeKey.delete(dedupe_key);
    const place = placeOf(cell.row.entry);
    if (place === "run") this.queue.remove(cell);
    else if (place !== null) this.held.delete(entry_id);
  }
}
