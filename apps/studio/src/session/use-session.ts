import { useEffect, useRef, useState } from "react";
import { useObservable } from "../api/observable.ts";
import { queryClient } from "../api/queries.ts";
import { ThreadSession, type ThreadSnapshot } from "./thread-session.ts";

/** The session of a thread, or of one that begins with the first message; `onMade` gets its id then. */
export function useSession(
  threadId: string | undefined,
  onMade?: (threadId: string) => void,
): { readonly session: ThreadSession; readonly snapshot: ThreadSnapshot } {
  const [session, setSession] = useState(() => new ThreadSession(threadId));
  const made = useRef(onMade);
  made.current = onMade;
  useEffect(() => {
    setSession((before) => (before.threadId === threadId && !before.isClosed ? before : new ThreadSession(threadId)));
  }, [threadId]);
  useEffect(() => {
    session.onStored = (id) => {
      void queryClient.invalidateQueries({ queryKey: ["threads"] });
      void queryClient.invalidateQueries({ queryKey: ["decisions"] });
      void queryClient.invalidateQueries({ queryKey: ["runs"] });
      if (!session.isClosed) made.current?.(id);
    };
    const turn = (): void => (document.hidden ? session.pause() : session.resume());
    document.addEventListener("visibilitychange", turn);
    return () => {
      document.removeEventListener("visibilitychange", turn);
      session.close();
    };
  }, [session]);
  return { session, snapshot: useObservable(session.snapshot) };
}
