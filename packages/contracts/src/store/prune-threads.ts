import { applyPatches, type Json } from "@reprise/state";
import type { Thread } from "../thread/thread.ts";
import type { PrunedThreads, Retention } from "./retention.ts";
import type { TenantStore } from "./store.ts";

/** Which thread of which tenant. */
export interface ThreadKey {
  readonly tenant: string;
  readonly thread_id: string;
}

/** A thread with its tenant, and up to which version its history is gone. */
export interface TenantThread {
  readonly tenant: string;
  readonly thread: Thread;
  readonly pruned_version: number;
}

/** The parts of one thread that may be deleted. A part that is null stays. */
export interface ThreadPruning extends ThreadKey {
  /** History up to a version, with the state there. */
  readonly history: { readonly up_to: number; readonly state: Json } | null;
  /** Entries that were over before this time. */
  readonly entries_before: number | null;
  /** The thread itself, when nothing changed it since then. */
  readonly idle_since: number | null;
}

/** The operations of a store that pruning needs. */
export interface PrunedStore {
  /** The store's time. */
  now(): Promise<number>;
  /** Threads of all tenants after a key, in some fixed order. */
  pageThreads(after: ThreadKey | undefined, limit: number): Promise<readonly TenantThread[]>;
  forTenant(tenant: string): TenantStore;
  /** In one transaction or several; checks by itself what may go. */
  pruneThread(pruning: ThreadPruning): Promise<PrunedThreads>;
}

/** How many threads or runs are looked at in one read. */
const PAGE = 200;

/** Forgets what a retention allows, thread by thread: the same in every store. */
export async function pruneThreads(
  store: PrunedStore,
  retention: Retention,
  signal?: AbortSignal,
): Promise<PrunedThreads> {
  const now = await store.now();
  const sum = { versions: 0, entries: 0, threads: 0 };
  let page: readonly TenantThread[] = [];
  do {
    page = await store.pageThreads(keyOf(page.at(-1)), PAGE);
    for (const thread of page) {
      signal?.throwIfAborted();
      const pruned = await store.pruneThread(await planPruning(store, thread, retention, now));
      sum.versions += pruned.versions;
      sum.entries += pruned.entries;
      sum.threads += pruned.threads;
    }
  } while (page.length === PAGE);
  return sum;
}

function keyOf(last: TenantThread | undefined): ThreadKey | undefined {
  return last === undefined ? undefined : { tenant: last.tenant, thread_id: last.thread.thread_id };
}

async function planPruning(
  { forTenant }: PrunedStore,
  { tenant, thread, pruned_version }: TenantThread,
  retention: Retention,
  now: number,
): Promise<ThreadPruning> {
  const store = forTenant(tenant);
  const cut = await findCut(store, thread, pruned_version, { retention, now });
  return {
    tenant,
    thread_id: thread.thread_id,
    history: cut === undefined ? null : { up_to: cut, state: await stateAt(store, thread.thread_id, cut) },
    entries_before: timeBefore(now, retention.entryAgeMs),
    idle_since: timeBefore(now, retention.threadAgeMs),
  };
}

function timeBefore(now: number, age: number | undefined): number | null {
  return age === undefined ? null : now - age;
}

/** The version up to which the history of a thread may go, undefined when it stays. */
async function findCut(
  store: TenantStore,
  { thread_id, version }: Thread,
  prunedVersion: number,
  { retention, now }: { readonly retention: Retention; readonly now: number },
): Promise<number | undefined> {
  const { historyAgeMs = Number.POSITIVE_INFINITY, historyVersions = Number.POSITIVE_INFINITY } = retention;
  if (historyAgeMs === Number.POSITIVE_INFINITY && version - prunedVersion <= historyVersions) return undefined;
  for (let offset = 0; ; offset += PAGE) {
    const { items, has_more } = await store.listRuns({ thread_id, offset, limit: PAGE });
    const old = items.find(
      ({ created_at, base_version }) => created_at < now - historyAgeMs || version - base_version >= historyVersions,
    );
    if (old !== undefined) {
      const cut = Math.min(old.base_version, await firstFork(store, thread_id));
      return cut > prunedVersion ? cut : undefined;
    }
    if (!has_more) return undefined;
  }
}

/** The lowest version that a fork of the thread began at: its history is shown from there. */
async function firstFork(store: TenantStore, threadId: string): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let offset = 0; ; offset += PAGE) {
    const { items, has_more } = await store.listThreads({ parent_thread_id: threadId, offset, limit: PAGE });
    for (const { thread_id } of items) lowest = Math.min(lowest, await forkedAt(store, thread_id));
    if (!has_more) return lowest;
  }
}

async function forkedAt(store: TenantStore, threadId: string): Promise<number> {
  // A child whose own history is gone, or cannot be read, has nothing to show.
  const [first] = await store.readChangesets(threadId, 0, 1).catch(() => []);
  const version = first?.reasons.includes("fork") === true ? /^fork_(\d+)$/.exec(first.changeset_id)?.[1] : undefined;
  return version === undefined ? Number.POSITIVE_INFINITY : Number(version);
}

async function stateAt(store: TenantStore, threadId: string, version: number): Promise<Json> {
  const snapshot = await store.loadSnapshot(threadId, version);
  const versions = await store.readPatches(threadId, snapshot?.version ?? 0, version);
  return applyPatches(
    snapshot?.state ?? {},
    versions.flatMap(({ patches }) => patches),
  );
}
