import type { QueueRows } from "../kernel/demand.ts";
import type { EntryCell } from "./cells.ts";
import { SortedList } from "./sorted-list.ts";

/** The queued runs of one thread: which is next, and when the next one becomes due, without a scan of all of them. */
export class RunQueue {
  readonly #turns = new SortedList<EntryCell>(compareTurns);
  readonly #continuingTurns = new SortedList<EntryCell>(compareTurns);
  readonly #triedTurns = new SortedList<EntryCell>(compareTurns);
  readonly #times = new SortedList<EntryCell>(compareTimes);
  readonly #continuingTimes = new SortedList<EntryCell>(compareTimes);
  readonly #agents = new SortedList<EntryCell>(compareAgents);

  /** In the order they go. */
  get all(): Iterable<EntryCell> {
    return this.#turns;
  }

  get rows(): QueueRows {
    return {
      next_at: timeOf(this.#times.first),
      next_continue_at: timeOf(this.#continuingTimes.first),
      first_agent: agentOf(this.#agents.first),
      last_agent: agentOf(this.#agents.last),
    };
  }

  /** The first that is available, the first of those that continue, and the first that waits to be tried again. */
  heads(now: number): readonly EntryCell[] {
    const isAvailable = ({ row }: EntryCell): boolean => row.entry.available_at <= now;
    const heads = [
      this.#turns.find(isAvailable),
      this.#continuingTurns.find(isAvailable),
      this.#triedTurns.find((cell) => !isAvailable(cell)),
    ];
    return heads.filter((cell) => cell !== undefined);
  }

  add(cell: EntryCell): void {
    for (const list of this.#listsOf(cell)) list.add(cell);
  }

  remove(cell: EntryCell): void {
    for (const list of this.#listsOf(cell)) list.remove(cell);
  }

  #listsOf({ row: { entry } }: EntryCell): readonly SortedList<EntryCell>[] {
    const continuing = entry.busy_policy === "continue" ? [this.#continuingTurns, this.#continuingTimes] : [];
    return [this.#turns, this.#times, this.#agents, ...continuing, ...(entry.attempts > 0 ? [this.#triedTurns] : [])];
  }
}

function compareTurns({ row }: EntryCell, { row: other }: EntryCell): number {
  return other.entry.priority - row.entry.priority || row.arrival - other.arrival;
}

function compareTimes({ row }: EntryCell, { row: other }: EntryCell): number {
  return row.entry.available_at - other.entry.available_at || row.arrival - other.arrival;
}

function compareAgents({ row }: EntryCell, { row: other }: EntryCell): number {
  if (row.entry.agent_id === other.entry.agent_id) return row.arrival - other.arrival;
  return row.entry.agent_id < other.entry.agent_id ? -1 : 1;
}

function agentOf(cell: EntryCell | undefined): string | null {
  return cell?.row.entry.agent_id ?? null;
}

function timeOf(cell: EntryCell | undefined): number | null {
  return cell?.row.entry.available_at ?? null;
}
