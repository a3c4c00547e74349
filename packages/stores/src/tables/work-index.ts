import type { NeedText } from "../kernel/need.ts";
import type { WorkHint, WorkRank } from "../kernel/rows.ts";
import { SortedList } from "./sorted-list.ts";
import { compareNames } from "./thread-name.ts";
import type { ThreadTables } from "./thread-tables.ts";

interface DueThread {
  readonly thread: ThreadTables;
  readonly at: number;
}

type Ranks = ReadonlyMap<WorkRank, SortedList<DueThread>>;

const RANKS: readonly WorkRank[] = [0, 1, 2];

/** Which threads may have work, by what it needs, how urgent it is, and when: claiming looks at no others. */
export class WorkIndex {
  readonly #needs = new Map<NeedText, Ranks>();

  add(thread: ThreadTables, { rank, at, need }: WorkHint): void {
    const ranks = this.#needs.get(need) ?? new Map(RANKS.map((one) => [one, new SortedList(compareDue)]));
    this.#needs.set(need, ranks);
    ranks.get(rank)?.add({ thread, at });
  }

  remove(thread: ThreadTables, { rank, at, need }: WorkHint): void {
    const ranks = this.#needs.get(need);
    ranks?.get(rank)?.remove({ thread, at });
    if (ranks !== undefined && RANKS.every((one) => ranks.get(one)?.first === undefined)) this.#needs.delete(need);
  }

  /** What work needs that is due: first the need of what has been due for longest. */
  dueNeeds(now: number): readonly NeedText[] {
    const due = [...this.#needs]
      .map(([need, ranks]) => ({ need, at: earliestOf(ranks) }))
      .filter(({ at }) => at <= now);
    return due.sort((one, other) => one.at - other.at).map(({ need }) => need);
  }

  /** How many threads are due, counted up to a limit. */
  countDue(now: number, limit: number): number {
    let count = 0;
    for (const ranks of this.#needs.values()) {
      for (const threads of ranks.values()) {
        for (const { at } of threads) {
          if (count >= limit || at > now) break;
          count++;
        }
      }
    }
    return count;
  }

  /** Threads that are due and need one of these, the most urgent first, leaving some out. */
  due(
    now: number,
    limit: number,
    { needs, except }: { readonly needs: readonly NeedText[]; readonly except: ReadonlySet<ThreadTables> },
  ): readonly ThreadTables[] {
    const found: ThreadTables[] = [];
    for (const rank of RANKS) {
      for (const need of needs) {
        for (const { thread, at } of this.#needs.get(need)?.get(rank) ?? []) {
          if (found.length >= limit || at > now) break;
          if (!except.has(thread)) found.push(thread);
        }
      }
    }
    return found;
  }
}

function earliestOf(ranks: Ranks): number {
  return Math.min(...RANKS.map((rank) => ranks.get(rank)?.first?.at ?? Number.POSITIVE_INFINITY));
}

function compareDue({ thread, at }: DueThread, other: DueThread): number {
  return at - other.at || thread.order - other.thread.order || compareNames(thread, other.thread);
}
