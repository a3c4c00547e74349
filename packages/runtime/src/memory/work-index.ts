import type { RunRecord } from "@reprise/contracts";
import type { MailboxSlot } from "./mailbox.ts";
import { openRunOf } from "./tenant-world.ts";
import type { ThreadCell } from "./thread-cell.ts";

/** What a thread offers to a claimer. */
export type Work =
  | { readonly kind: "recover"; readonly run: RunRecord }
  | { readonly kind: "resume"; readonly run: RunRecord; readonly slot: MailboxSlot }
  | { readonly kind: "start"; readonly slot: MailboxSlot; readonly run?: RunRecord };

/** `claimed`: somebody has it. `delayed`: there is work, but not yet. The others are ready, in the order they are served. */
export type Lane = Work["kind"] | "delayed" | "claimed";

const READY_LANES: readonly Work["kind"][] = ["recover", "resume", "start"];

/** Knows which threads of all tenants have work, so that claiming does not look at the others. */
export class WorkIndex {
  readonly #lanes: Readonly<Record<Lane, Set<ThreadCell>>> = {
    recover: new Set(),
    resume: new Set(),
    start: new Set(),
    delayed: new Set(),
    claimed: new Set(),
  };

  get claimed(): Iterable<ThreadCell> {
    return this.#lanes.claimed;
  }

  /** Puts a thread where it belongs; to be called after every change of its claim, run or mailbox. */
  refresh(cell: ThreadCell, now: number): void {
    const lane = laneOf(cell, now);
    // Left alone when nothing changes, so that a thread keeps its turn.
    if (lane === cell.lane) return;
    this.remove(cell);
    if (lane !== undefined) this.#lanes[lane].add(cell);
    cell.lane = lane;
  }

  remove(cell: ThreadCell): void {
    if (cell.lane !== undefined) this.#lanes[cell.lane].delete(cell);
    cell.lane = undefined;
  }

  /** The threads that can be claimed now. */
  *ready(now: number): Iterable<ThreadCell> {
    for (const cell of [...this.#lanes.delayed]) this.refresh(cell, now);
    for (const lane of READY_LANES) yield* this.#lanes[lane];
  }
}

/** The next work of a thread that nobody holds. */
export function findWork(cell: ThreadCell, now: number): Work | undefined {
  const run = openRunOf(cell)?.record;
  if (run?.status === "running") return cell.recoverAt <= now ? { kind: "recover", run } : undefined;
  const wake = run && cell.mailbox.wakes.find(({ entry }) => entry.run_id === run.run_id && entry.available_at <= now);
  if (run && wake) return { kind: "resume", run, slot: wake };
  const isNext = ({ entry }: MailboxSlot): boolean =>
    entry.available_at <= now && maySupersede(cell, entry.busy_policy);
  const slot = cell.mailbox.runs.find((candidate) => isNext(candidate) || keepsItsPlace(candidate, now));
  if (slot === undefined || !isNext(slot)) return undefined;
  return { kind: "start", slot, ...(run === undefined ? {} : { run }) };
}

/** An entry that failed to start and waits to be tried again is not overtaken; one that was sent for later is. */
function keepsItsPlace({ entry }: MailboxSlot, now: number): boolean {
  return entry.attempts > 0 && entry.available_at > now;
}

function maySupersede(cell: ThreadCell, policy: string): boolean {
  return cell.openRunId === undefined || policy === "continue";
}

function laneOf(cell: ThreadCell, now: number): Lane | undefined {
  if (cell.claim !== undefined) return "claimed";
  const work = findWork(cell, now);
  if (work !== undefined) return work.kind;
  return findWork(cell, Number.POSITIVE_INFINITY) === undefined ? undefined : "delayed";
}
