import type { WorkHint, WorkRank } from "../kernel/rows.ts";
import { SortedList } from "./sorted-list.ts";
import { compareNames } from "./thread-name.ts";
import type { ThreadTables } from "./thread-tables.ts";

interface Place {
  readonly thread: ThreadTables;
  readonly at: number;
}

const RANKS: readonly WorkRank[] = [0, 1, 2];

/** Which threads may have work, by how urgent it is and then by when: claiming looks at no others. */
export class WorkIndex {
  readonly #lanes = new Map<WorkRank, SortedList<Place>>(RANKS.map((rank) => [rank, new SortedList(comparePlaces)]));

  add(thread: ThreadTables, { rank, at }: WorkHint): void {
    this.#lanes.get(rank)?.add({ thread, at });
  }

  remove(thread: ThreadTables, { rank, at }: WorkHint): void {
    this.#lanes.get(rank)?.remove({ thread, at });
  }

  /** Threads that are due, the most urgent first, leaving some out. */
  due(now: number, limit: number, except: ReadonlySet<ThreadTables>): readonly ThreadTables[] {
    const found: ThreadTables[] = [];
    for (const rank of RANKS) {
      for (const { thread, at } of this.#lanes.get(rank) ?? []) {
        if (found.length >= limit || at > now) break;
        if (!except.has(thread)) found.push(thread);
      }
    }
    return found;
  }
}

function comparePlaces({ thread, at }: Place, other: Place): number {
  return at - other.at || thread.order - other.thread.order || compareNames(thread, other.thread);
}
