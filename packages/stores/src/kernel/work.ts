import { activeAgentOf, resumesByItself } from "@reprise/contracts";
import { claimedEntry } from "./claims.ts";
import { isPending } from "./entries.ts";
import { encodeNeed, type Need, type NeedText, needOfRun, UNKNOWN_NEED } from "./need.ts";
import { type EntryRow, type RunRow, WORK_RANKS, type WorkHint } from "./rows.ts";
import type { ThreadDraft } from "./thread-draft.ts";

/** For how long a process that cannot read a thread yet leaves it to those that can. */
export const TOO_NEW_PAUSE_MS = 10_000;

/** What a thread offers to a claimer. `blocked`: its queue waits for an entry that is to be tried again. */
export type Work =
  | { readonly kind: "recover"; readonly run: RunRow }
  | { readonly kind: "resume"; readonly run: RunRow; readonly row: EntryRow }
  | { readonly kind: "start"; readonly row: EntryRow; readonly run?: RunRow }
  | { readonly kind: "blocked"; readonly until: number };

/** The next work of a thread that no worker holds. Needs the heads of its queue. */
export function findWork(draft: ThreadDraft, now: number): Work | undefined {
  const run = draft.openRun;
  if (run?.record.status === "running") return draft.recoverAt <= now ? { kind: "recover", run } : undefined;
  const wake = wakesOf(draft, run).find(({ entry }) => entry.available_at <= now);
  if (run !== undefined && wake !== undefined) return { kind: "resume", run, row: wake };
  const row = queuedRuns(draft)
    .sort(compareTurns)
    .find((candidate) => isNext(draft, candidate, now) || keepsItsTurn(candidate, now));
  if (row === undefined) return undefined;
  if (keepsItsTurn(row, now)) return { kind: "blocked", until: row.entry.available_at };
  return { kind: "start", row, ...(run === undefined ? {} : { run }) };
}

/**
 * When to look at the thread again, for the work index. Computed from what was read, so it may be too early, never too late.
 * Under a claim that is the end of the lease: then the claim is lost, and its run or its entry is to be taken over first.
 */
export function hintWork(draft: ThreadDraft): WorkHint | null {
  if (draft.damage !== null) return null;
  const run = draft.openRun;
  const isRunning = run?.record.status === "running";
  if (draft.claim !== null) return { rank: WORK_RANKS.recover, at: draft.claim.lease_until, need: heldNeed(draft) };
  if (run !== undefined && isRunning) {
    return { rank: WORK_RANKS.recover, at: draft.recoverAt, need: encodeNeed(needOfOpen(draft, run)) };
  }
  const resume = earliest(wakesOf(draft, run));
  const start = Math.max(queueTime(draft), draft.quietUntil);
  if (!Number.isFinite(Math.min(resume, start))) return null;
  if (run !== undefined && resume <= start) {
    return { rank: WORK_RANKS.resume, at: resume, need: encodeNeed(needOfOpen(draft, run)) };
  }
  return { rank: WORK_RANKS.start, at: start, need: queueNeed(draft) };
}

/** What work needs that was found. */
export function needOfWork(draft: ThreadDraft, work: Exclude<Work, { readonly kind: "blocked" }>): Need {
  return work.kind === "start" ? { agent: work.row.entry.agent_id } : needOfOpen(draft, work.run);
}

function needOfOpen(draft: ThreadDraft, run: RunRow): Need {
  return needOfRun(run, isToBeCancelled(draft, run));
}

function isToBeCancelled(draft: ThreadDraft, { record }: RunRow): boolean {
  const isCancel = ({ entry }: EntryRow): boolean =>
    entry.kind === "cancel" && entry.run_id === record.run_id && isPending(entry);
  return draft.entries.some(isCancel);
}

/**
 * The need of a thread under a claim does not name definitions and tools: they change with commits, and a steady commit does not touch
 * the work index. A handoff changes the agent, and is no steady commit. The process that takes over from a lost owner finds out.
 */
function heldNeed(draft: ThreadDraft): NeedText {
  const claimed = claimedEntry(draft)?.entry;
  if (claimed?.kind === "run") return encodeNeed({ agent: claimed.agent_id });
  const run = draft.openRun;
  if (run === undefined) return UNKNOWN_NEED;
  return encodeNeed({ agent: activeAgentOf(run.record), ...(isToBeCancelled(draft, run) && { ends: true }) });
}

/** The agent of the queue, while it has only one: then it does not matter who is next. */
function queueNeed(draft: ThreadDraft): NeedText {
  if (draft.isQueueShorter) return UNKNOWN_NEED;
  const { first_agent, last_agent } = draft.queue;
  const stored = [first_agent, last_agent].filter((agent) => agent !== null);
  const agents = new Set([...stored, ...queuedRuns(draft).map(({ entry }) => entry.agent_id)]);
  const [agent] = agents;
  return agent === undefined || agents.size > 1 ? UNKNOWN_NEED : encodeNeed({ agent });
}

/** The queued wake-ups of the run that waits, in order of arrival. */
function wakesOf(draft: ThreadDraft, run: RunRow | undefined): readonly EntryRow[] {
  if (run === undefined) return [];
  return draft.entries.filter(
    ({ entry }) => entry.kind !== "run" && entry.status === "queued" && entry.run_id === run.record.run_id,
  );
}

function queuedRuns(draft: ThreadDraft): EntryRow[] {
  return draft.entries.filter(({ entry }) => entry.kind === "run" && entry.status === "queued");
}

/** The earliest moment at which the queue may have an entry to serve; infinite when it is empty. */
function queueTime(draft: ThreadDraft): number {
  const { next_at, next_continue_at } = draft.queue;
  const stored = draft.openRunId === null ? next_at : isHeldUp(draft) ? null : next_continue_at;
  const planned = queuedRuns(draft).filter((row) => maySupersede(draft, row));
  return Math.min(stored ?? Number.POSITIVE_INFINITY, earliest(planned));
}

function earliest(rows: readonly EntryRow[]): number {
  return Math.min(...rows.map(({ entry }) => entry.available_at));
}

function isNext(draft: ThreadDraft, row: EntryRow, now: number): boolean {
  return row.entry.available_at <= now && maySupersede(draft, row);
}

function maySupersede(draft: ThreadDraft, { entry }: EntryRow): boolean {
  return draft.openRunId === null || (entry.busy_policy === "continue" && !isHeldUp(draft));
}

/** A run that waits for a model is about to continue by itself: nothing takes its place. */
function isHeldUp({ openRun }: ThreadDraft): boolean {
  return openRun !== undefined && resumesByItself(openRun.record);
}

/** An entry that failed to start and waits to be tried again is not overtaken; one that was sent for later is. */
function keepsItsTurn({ entry }: EntryRow, now: number): boolean {
  return entry.attempts > 0 && entry.available_at > now;
}

function compareTurns(row: EntryRow, other: EntryRow): number {
  return other.entry.priority - row.entry.priority || row.arrival - other.arrival;
}
