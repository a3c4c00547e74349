import type { ChildRun, ChildStatus } from "@reprise/contracts";

/** A run below, as far as every plugin that starts some remembers it. */
export interface KnownRun {
  readonly status: ChildStatus;
  readonly error?: string;
}

export function isOver({ status }: Pick<KnownRun, "status">): boolean {
  return status === "completed" || status === "failed" || status === "stopped";
}

/** The runs whose status is another one now. Runs that are over are not asked about. */
export async function findChanges<Run extends KnownRun>(
  known: { readonly [runId: string]: Run },
  findRun: (runId: string) => Promise<ChildRun | undefined>,
): Promise<{ readonly [runId: string]: Run }> {
  const changed: { [runId: string]: Run } = {};
  for (const [runId, run] of Object.entries(known)) {
    if (isOver(run)) continue;
    const found = await findRun(runId);
    if (found === undefined || found.status === run.status) continue;
    changed[runId] = { ...run, status: found.status, ...(found.error !== undefined && { error: found.error }) };
  }
  return changed;
}

/** Those that are not over, and the last few that are: what a model has to know of. */
export function currentRuns<Run extends KnownRun>(known: {
  readonly [runId: string]: Run;
}): readonly (readonly [runId: string, run: Run])[] {
  const entries = Object.entries(known);
  return [...entries.filter(([, run]) => !isOver(run)), ...entries.filter(([, run]) => isOver(run)).slice(-SHOWN)];
}

const SHOWN = 5;

/** At most so many runs, without the oldest that are over. They can still be looked up by their ids. */
export function boundRuns<Run extends KnownRun>(runs: {
  readonly [runId: string]: Run;
}): {
  readonly [runId: string]: Run;
} {
  const entries = Object.entries(runs);
  const over = entries.flatMap(([runId, run]) => (isOver(run) ? runId : []));
  const forgotten = new Set(over.slice(0, Math.max(0, entries.length - MAX_REMEMBERED)));
  return forgotten.size === 0 ? runs : Object.fromEntries(entries.filter(([runId]) => !forgotten.has(runId)));
}

const MAX_REMEMBERED = 200;
