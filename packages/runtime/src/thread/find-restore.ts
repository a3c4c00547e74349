import { notFound, type RestorePoint, type StoredChangeset, type TenantStore } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { loadState } from "./loaded-thread.ts";
import { readChangesetsBetween } from "./read-changesets.ts";

/** An earlier point of a thread that a run can start from. */
export interface Restore {
  readonly state: Json;
  readonly run_id: string;
  readonly base_version: number;
  /** The messages that are withdrawn; those of the run unless they are given. */
  readonly supersedes?: readonly string[];
}

/**
 * What a thread is when it goes back before a run, or right behind what was said to it. Follows from what is committed, so that a
 * replay, which names the version it was asked at, finds the same. `RUN_NOT_FOUND`; `VERSION_GONE` when it was pruned.
 */
export async function findRestore(
  store: TenantStore,
  threadId: string,
  { run_id, keep_input = false }: RestorePoint,
  upTo: number = Number.MAX_SAFE_INTEGER,
): Promise<Restore> {
  const run = await store.loadRun(run_id);
  if (run?.thread_id !== threadId) throw notFound("RUN_NOT_FOUND", "run", run_id);
  const since = await readChangesetsBetween(store, threadId, run.base_version, upTo);
  const index = since.findIndex(({ changeset_id }) => changeset_id === `${run_id}-start`);
  const start = since[index];
  if (start === undefined) throw notFound("RUN_NOT_FOUND", "run", run_id);
  const base_version = keep_input ? start.version : run.base_version;
  const undone = since.slice(keep_input ? index + 1 : index);
  return {
    run_id,
    base_version,
    state: await loadState(store, threadId, base_version),
    supersedes: saidIn(undone, start),
  };
}

/** What was said and is not withdrawn already. The results a run brought along for calls of earlier ones are not its own. */
function saidIn(changesets: readonly StoredChangeset[], start: StoredChangeset): readonly string[] {
  const withdrawn = new Set(changesets.flatMap(({ supersedes }) => supersedes));
  const said = changesets.flatMap((changeset) =>
    changeset.messages.filter(({ role }) => changeset !== start || role !== "tool").map(({ id }) => id),
  );
  return said.filter((id) => !withdrawn.has(id));
}
