import { useEffect, useMemo, useSyncExternalStore } from "react";
import { useClient } from "./provider.ts";
import { ThreadStore, type ThreadView } from "./thread-store.ts";

export interface UseThread extends ThreadView {
  /** Says something; resolves when the server has accepted it. */
  send(text: string): Promise<void>;
  /** Ends the run under way. */
  cancel(): Promise<void>;
}

/** A thread: its messages, the answer under way, and ways to go on. It stays up to date over lost connections and reloads. */
export function useThread(threadId: string, { agentId }: { readonly agentId: string }): UseThread {
  const client = useClient();
  const store = useMemo(() => new ThreadStore(client, threadId), [client, threadId]);
  useEffect(() => store.open(), [store]);
  const view = useSyncExternalStore(store.subscribe, store.get, store.get);
  return useMemo(
    () => ({ ...view, send: (text: string) => store.send(agentId, text), cancel: () => store.cancel() }),
    [view, store, agentId],
  );
}
