import { RepriseError, type RunRequest } from "@reprise/contracts";
import type { TenantRuntime } from "@reprise/runtime";
import { deepEqual, type Json, ops, type Patch } from "@reprise/state";

type State = { readonly [key: string]: Json };

/** The state of a thread as clients see it: without the runtime's own. Undefined when the thread, or the version, is not there. */
export async function loadSharedState(
  { threads }: TenantRuntime,
  threadId: string,
  version?: number,
): Promise<State | undefined> {
  try {
    const state = await threads.state(threadId, version === undefined ? {} : { version });
    return Object.fromEntries(Object.entries(state as State).filter(([key]) => !key.startsWith("__")));
  } catch (error) {
    // A version that was pruned, or a thread that is not there yet.
    if (RepriseError.is(error, "THREAD_NOT_FOUND") || RepriseError.is(error, "VERSION_GONE")) return undefined;
    throw error;
  }
}

/**
 * The changes that make the thread's state the client's. Only these are sent: a client returns all it has, also the state of plugins,
 * which it may show and not change.
 */
export function changesTo(client: State, shared: State): Pick<RunRequest, "state" | "removed_state"> {
  const changed = Object.entries(client).filter(([key, value]) => {
    const known = Object.hasOwn(shared, key) ? shared[key] : undefined;
    return known === undefined || !deepEqual(known, value);
  });
  const removed = Object.keys(shared).filter((key) => !Object.hasOwn(client, key));
  return {
    ...(changed.length > 0 && { state: Object.fromEntries(changed) }),
    ...(removed.length > 0 && { removed_state: removed }),
  };
}

/** The same changes as a patch, for a thread whose run waits. */
export function patchOf({ state = {}, removed_state = [] }: Pick<RunRequest, "state" | "removed_state">): Patch {
  return {
    ops: [
      ...removed_state.map((key) => ops.delete([key])),
      ...Object.entries(state).map(([key, value]) => ops.set([key], value)),
    ],
  };
}
