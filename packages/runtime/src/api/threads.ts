import {
  type Changeset,
  emptyChangeset,
  invalidRequest,
  type MessageFilter,
  type MessagePage,
  notFound,
  type Page,
  type StoredChangeset,
  type Thread,
  type ThreadFilter,
  type VersionPatches,
} from "@reprise/contracts";
import { toStoredKeys } from "@reprise/contracts/shape";
import { applyPatch, computeTouched, formatPath, isJson, type Json, type Patch } from "@reprise/state";
import { returnAllotment } from "../budget/return-allotments.ts";
import { answerForStopped, stopChildren } from "../loop/run-family.ts";
import type { Services } from "../loop/services.ts";
import { assertVersion, diffVersions, stateAt, type VersionDifference } from "../replay/thread-versions.ts";
import { loadState } from "../thread/loaded-thread.ts";
import { placeId } from "../thread/place-id.ts";

/** Conversations and their past. */
export interface Threads {
  get(threadId: string): Promise<Thread>;
  list(query?: ThreadFilter): Promise<Page<Thread>>;
  /** Replaces the given keys of a thread's metadata. */
  update(threadId: string, metadata: Thread["metadata"]): Promise<Thread>;
  messages(threadId: string, query?: MessageFilter): Promise<MessagePage>;
  /** The state now, or as it was at a version: `VERSION_NOT_FOUND` for one that is not there, `VERSION_GONE` for one that was pruned. */
  state(threadId: string, options?: { readonly version?: number }): Promise<Json>;
  /** Compares two versions, in the given order. */
  diffVersions(threadId: string, from: number, to: number): Promise<VersionDifference>;
  /** The patches of every version after one. */
  history(threadId: string, after?: number): Promise<readonly VersionPatches[]>;
  /** Whole changesets after a version, oldest first, with their reasons, actions, effects and digests; at most 200 at once. */
  changesets(
    threadId: string,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly StoredChangeset[]>;
  /** Changes the state from outside a run; refused while one is running. Returns the new version. */
  patch(
    threadId: string,
    patch: Patch,
    options?: { readonly expected?: number; readonly source?: string },
  ): Promise<number>;
  /** A new thread that begins where this one is, or was at a version. */
  fork(threadId: string, options?: ForkOptions): Promise<Thread>;
  delete(threadId: string): Promise<void>;
}

export interface ForkOptions {
  /** The version the new thread begins with; the present one unless it is given. */
  readonly at?: number;
  /** The id of the new thread; made up unless it is given. */
  readonly threadId?: string;
}

export function createThreads(services: Services, tenant: string): Threads {
  const store = services.store.forTenant(tenant);
  const get = async (threadId: string): Promise<Thread> => {
    const head = await store.loadThread(threadId);
    if (head === undefined) throw notFound("THREAD_NOT_FOUND", "thread", threadId);
    return head.thread;
  };
  return {
    get,
    list: (query = {}) => store.listThreads(toStoredKeys(query)),
    async update(threadId, metadata) {
      if (!isJson(metadata)) throw invalidRequest("The metadata of a thread must be a JSON object.");
      return store.updateThread(threadId, metadata);
    },
    messages: async (threadId, query = {}) => {
      await get(threadId);
      return store.listMessages(threadId, toStoredKeys(query));
    },
    state: async (threadId, { version } = {}) =>
      version === undefined
        ? loadState(store, threadId, (await get(threadId)).version)
        : stateAt(store, threadId, version),
    diffVersions: (threadId, from, to) => diffVersions(store, threadId, from, to),
    history: async (threadId, after = 0) => {
      await get(threadId);
      return store.readPatches(threadId, after);
    },
    async changesets(threadId, { after = 0, limit } = {}) {
      await get(threadId);
      return store.readChangesets(threadId, after, limit);
    },
    async patch(threadId, patch, { expected, source = "external" } = {}) {
      assertOwnState(patch);
      const { version } = await get(threadId);
      const base = expected ?? version;
      // Refused here rather than found broken by the next reader.
      applyPatch(await loadState(store, threadId, base), patch);
      const id = services.env.ids.uuid();
      const tracked = { id: `${id}-p`, source, ops: patch.ops, timestamp_ms: services.time.now() };
      const changeset: Changeset = {
        ...emptyChangeset(threadId, null, id),
        reasons: ["external_patch"],
        patches: [tracked],
      };
      return (await store.commit(changeset, { expected: base, epoch: null })).version;
    },
    async fork(threadId, { at, threadId: forkId = placeId(store, services.env.ids.uuid(), threadId) } = {}) {
      const thread = await get(threadId);
      if (at !== undefined) assertVersion(thread, at);
      return store.forkThread(threadId, at ?? thread.version, forkId);
    },
    async delete(threadId) {
      const open = (await store.loadThread(threadId))?.open_run;
      await store.deleteThread(threadId);
      if (open !== undefined) {
        const now = services.time.now();
        await stopChildren(store, open, { isCancelled: true, now });
        await returnAllotment(services, tenant, open);
        await answerForStopped(store, open, now);
      }
      services.threads.forget(tenant, threadId);
    },
  };
}

/** The runtime's own part of the state is written by runs alone. */
function assertOwnState(patch: Patch): void {
  for (const { path } of computeTouched(patch)) {
    const [key] = path;
    if (typeof key === "string" && !key.startsWith("__")) continue;
    throw invalidRequest(`A patch from outside cannot change ${formatPath(path)}: the path belongs to the runtime.`);
  }
}
