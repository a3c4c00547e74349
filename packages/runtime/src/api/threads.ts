import {
  type Changeset,
  emptyChangeset,
  invalidRequest,
  type MessagePage,
  type MessageQuery,
  notFound,
  type Page,
  type Thread,
  type ThreadQuery,
  type VersionPatches,
} from "@reprise/contracts";
import { applyPatch, computeTouched, formatPath, type Json, type Patch } from "@reprise/state";
import type { Services } from "../services.ts";
import { loadState } from "../thread/loaded-thread.ts";

/** Conversations and their past. */
export interface Threads {
  get(threadId: string): Promise<Thread>;
  list(query?: ThreadQuery): Promise<Page<Thread>>;
  messages(threadId: string, query?: MessageQuery): Promise<MessagePage>;
  /** The state now, or as it was at a version. */
  state(threadId: string, version?: number): Promise<Json>;
  /** The patches of every version after one. */
  history(threadId: string, after?: number): Promise<readonly VersionPatches[]>;
  /** Whole changesets after a version, oldest first, with their reasons, actions and recordings; at most 200 at once. */
  changesets(
    threadId: string,
    options?: { readonly after?: number; readonly limit?: number },
  ): Promise<readonly (Changeset & { readonly version: number })[]>;
  /** Changes the state from outside a run; refused while one is running. Returns the new version. */
  patch(
    threadId: string,
    patch: Patch,
    options?: { readonly expected?: number; readonly source?: string },
  ): Promise<number>;
  /** A new thread that begins where this one was at a version. */
  fork(threadId: string, options?: { readonly version?: number; readonly threadId?: string }): Promise<Thread>;
  delete(threadId: string): Promise<void>;
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
    list: (query) => store.listThreads(query),
    messages: async (threadId, query) => {
      await get(threadId);
      return store.listMessages(threadId, query);
    },
    state: async (threadId, version) => loadState(store, threadId, version ?? (await get(threadId)).version),
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
      const tracked = { id: `${id}-p`, source, ops: patch.ops, timestamp_ms: services.env.clock.now() };
      const changeset: Changeset = {
        ...emptyChangeset(threadId, null, id),
        reasons: ["external_patch"],
        patches: [tracked],
      };
      return (await store.commit(changeset, { expected: base, epoch: null })).version;
    },
    async fork(threadId, options = {}) {
      const version = options.version ?? (await get(threadId)).version;
      return store.forkThread(threadId, version, options.threadId ?? services.env.ids.uuid());
    },
    async delete(threadId) {
      await store.deleteThread(threadId);
      services.threads.forget(tenant, threadId);
    },
  };
}

/** The runtime's own part of the state is written by runs alone. */
function assertOwnState(patch: Patch): void {
  for (const { path } of computeTouched(patch)) {
    const [key] = path;
    if (typeof key === "string" && !key.startsWith("__")) continue;
    throw invalidRequest(`A patch from outside changes keys of the application's state, not ${formatPath(path)}.`);
  }
}
