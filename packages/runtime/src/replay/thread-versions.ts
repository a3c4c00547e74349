import { type Message, notFound, RepriseError, type TenantStore, type Thread } from "@reprise/contracts";
import { diff, type Json, type Op } from "@reprise/state";
import { loadState } from "../thread/loaded-thread.ts";
import { readChangesetsBetween } from "../thread/read-changesets.ts";

/** What is different between two versions of a thread. */
export interface VersionDifference {
  readonly from: number;
  readonly to: number;
  /** The operations that turn the state of the one into that of the other. */
  readonly patch: readonly Op[];
  /** Messages only the later one has, in the order in which they came. */
  readonly added: readonly Message[];
  /** Ids of messages that no longer count in the later one. */
  readonly superseded: readonly string[];
}

/** Refuses a version that the thread does not have, or not yet. */
export function assertVersion({ thread_id, version: last }: Thread, version: number): void {
  if (Number.isSafeInteger(version) && version >= 0 && version <= last) return;
  const message = `Thread ${thread_id} has no version ${version}. Its latest version is ${last}.`;
  throw new RepriseError("VERSION_NOT_FOUND", message, { details: { thread_id, version, last } });
}

export async function stateAt(store: TenantStore, threadId: string, version: number): Promise<Json> {
  assertVersion(await requireThread(store, threadId), version);
  return loadState(store, threadId, version);
}

/** Between a later and an earlier version the patch leads back; messages are told as seen from the earlier one. */
export async function diffVersions(
  store: TenantStore,
  threadId: string,
  from: number,
  to: number,
): Promise<VersionDifference> {
  const thread = await requireThread(store, threadId);
  for (const version of [from, to]) assertVersion(thread, version);
  const [before, after] = await Promise.all([loadState(store, threadId, from), loadState(store, threadId, to)]);
  const between = await readChangesetsBetween(store, threadId, Math.min(from, to), Math.max(from, to));
  return {
    from,
    to,
    patch: diff(before, after),
    added: between.flatMap(({ messages }) => messages),
    superseded: between.flatMap(({ supersedes }) => supersedes),
  };
}

async function requireThread(store: TenantStore, threadId: string): Promise<Thread> {
  const head = await store.loadThread(threadId);
  if (head === undefined) throw notFound("THREAD_NOT_FOUND", "thread", threadId);
  return head.thread;
}
