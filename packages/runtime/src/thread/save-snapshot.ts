import { type Env, type Store, toRepriseError } from "@reprise/contracts";
import type { LoadedThread } from "./loaded-thread.ts";

/**
 * Keeps a thread's state when reading its patches has become long. The run does not wait for it: it is a cache, and a thread without
 * it only loads more slowly.
 */
export function saveSnapshotIfDue(
  { store, env }: { readonly store: Store; readonly env: Pick<Env, "log"> },
  tenant: string,
  thread: LoadedThread,
): void {
  if (!thread.snapshots.isSpent) return;
  const { thread_id, version, document: state } = thread;
  thread.snapshots.begin(JSON.stringify(state).length);
  store
    .forTenant(tenant)
    .saveSnapshot(thread_id, { version, state })
    .catch((error: unknown) => {
      env.log("warn", "a snapshot could not be kept", { thread_id, problem: toRepriseError(error).message });
    });
}
