import { queueOf } from "../kernel/rows.ts";
import type { EntryCell } from "./cells.ts";
import { RunQueue } from "./run-queue.ts";

// Most threads never have more than entries that are over. What they do not have is the same for all of them.
const NO_QUEUE = new RunQueue();
const NO_ENTRIES: ReadonlyMap<string, EntryCell> = new Map();

/** The entries of one thread, by what is asked of them. */
export class Mailbox {
  readonly entries: Map<string, EntryCell> = new Map();
  #queue: RunQueue | undefined;
  #held: Map<string, EntryCell> | undefined;
  #byDedupeKey: Map<string, EntryCell> | undefined;

  get queue(): Pick<RunQueue, "all" | "rows" | "heads"> {
    return this.#queue ?? NO_QUEUE;
  }

  /** Pending ones that are not queued runs. */
  get held(): ReadonlyMap<string, EntryCell> {
    return this.#held ?? NO_ENTRIES;
  }

  findByDedupeKey(key: string): EntryCell | undefined {
    return this.#byDedupeKey?.get(key);
  }

  add(cell: EntryCell): void {
    const { entry_id, dedupe_key } = cell.row.entry;
    this.entries.set(entry_id, cell);
    if (dedupe_key !== undefined) {
      this.#byDedupeKey ??= new Map();
      this.#byDedupeKey.set(dedupe_key, cell);
    }
    const queue = queueOf(cell.row.entry);
    if (queue === "run") {
      this.#queue ??= new RunQueue();
      this.#queue.add(cell);
    } else if (queue !== null) {
      this.#held ??= new Map();
      this.#held.set(entry_id, cell);
    }
  }

  remove(cell: EntryCell): void {
    const { entry_id, dedupe_key } = cell.row.entry;
    this.entries.delete(entry_id);
    if (dedupe_key !== undefined && this.findByDedupeKey(dedupe_key) === cell) this.#byDedupeKey?.delete(dedupe_key);
    const queue = queueOf(cell.row.entry);
    if (queue === "run") this.#queue?.remove(cell);
    else if (queue !== null) this.#held?.delete(entry_id);
  }
}
