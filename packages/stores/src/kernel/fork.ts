import { type Changeset, emptyChangeset, invalidRequest, notFound, type Thread, versionGone } from "@reprise/contracts";
import type { Json, TrackedPatch } from "@reprise/state";
import { applyChangeset } from "./apply-changeset.ts";
import { concludeCommit } from "./commit.ts";
import type { History, ThreadDemand, ThreadRows } from "./demand.ts";
import { assertThreadFree, draftThread } from "./new-thread.ts";
import type { Plan } from "./plan.ts";
import type { ThreadAnswers, ThreadRequest } from "./request.ts";

export function demandFork({ tenant, thread_id, version, new_thread_id }: ThreadRequest<"fork_thread">): ThreadDemand {
  return { tenant, thread: { thread_id: new_thread_id }, history: { thread_id, up_to: version } };
}

/** Makes a thread whose first changeset is all that another one said and became up to a version. */
export function planFork(
  { tenant, thread_id, version, new_thread_id }: ThreadRequest<"fork_thread">,
  rows: ThreadRows,
  now: number,
): Plan<ThreadAnswers["fork_thread"]> {
  const { history } = rows;
  if (history === undefined) throw notFound("THREAD_NOT_FOUND", "thread", thread_id);
  const { thread: source } = history;
  if (!Number.isSafeInteger(version) || version < 0 || version > source.version) {
    throw invalidRequest(`Cannot fork thread ${thread_id} at version ${version}: it is at ${source.version}.`);
  }
  if (version < history.pruned_version) throw versionGone(thread_id, version, history.pruned_version);
  assertThreadFree(new_thread_id, rows);
  const draft = draftThread(tenant, forkedThread(source, new_thread_id, now), rows);
  const changeset = history.seal(forkedHistory(history, version, new_thread_id));
  applyChangeset(draft, changeset, { epoch: null, now });
  return concludeCommit(draft, draft.thread, null);
}

function forkedThread({ thread_id, resource_id, metadata }: Thread, newThreadId: string, now: number) {
  return {
    thread_id: newThreadId,
    parent_thread_id: thread_id,
    ...(resource_id === undefined ? {} : { resource_id }),
    metadata,
    created_at: now,
    updated_at: now,
  };
}

function forkedHistory({ base, changesets, blob_refs }: History, version: number, newThreadId: string): Changeset {
  const begun = base === null ? [] : [beginAt(base.state)];
  return {
    ...emptyChangeset(newThreadId, null, `fork_${version}`),
    reasons: ["fork"],
    messages: [...(base?.messages ?? []), ...changesets.flatMap(({ messages }) => messages)],
    supersedes: [...(base?.supersedes ?? []), ...changesets.flatMap(({ supersedes }) => supersedes)],
    patches: [...begun, ...changesets.flatMap(({ patches }) => patches)],
    blob_refs,
  };
}

/** Where the patches that led to a state are gone, the state stands for them. */
function beginAt(state: Json): TrackedPatch {
  return { id: "fork_base", source: "fork", ops: [{ op: "set", path: [], value: state }] };
}
