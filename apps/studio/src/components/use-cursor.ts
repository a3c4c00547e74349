import { useCallback, useEffect } from "react";
import { ask } from "../api/connection.ts";
import { queryClient } from "../api/queries.ts";
import { type Moment, momentAt } from "../log/versions.ts";
import { isTyping } from "../parts/is-typing.ts";

interface CursorKeys {
  readonly moments: readonly Moment[];
  readonly at: number | undefined;
  readonly move: (version: number | undefined) => void;
  readonly fork: () => void;
}

/** `[` and `]` move the cursor by one version, `f` forks. */
export function useCursorKeys({ moments, at, move, fork }: CursorKeys): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (isTyping(event) || moments.length === 0) return;
      const last = moments.length - 1;
      const shown = at === undefined ? moments[last] : momentAt(moments, at);
      const index = shown === undefined ? last : moments.indexOf(shown);
      if (event.key === "[" && index > 0) move(moments[index - 1]?.version);
      else if (event.key === "]") move(index + 1 >= last ? undefined : moments[index + 1]?.version);
      else if (event.key === "f" && at !== undefined) fork();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [moments, at, move, fork]);
}

/** `c` compares, where there is something to compare with. */
export function useCompareKey(compare: (() => void) | undefined): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const isMeant = event.key === "c" && !(event.metaKey || event.ctrlKey || event.altKey || event.repeat);
      if (isMeant && !isTyping(event)) compare?.();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, [compare]);
}

/** Makes a thread that begins at a version of another one. */
export function useFork(
  threadId: string | undefined,
  at: number | undefined,
  open: (threadId: string) => void,
  fail: (error: unknown) => void,
): () => void {
  return useCallback(() => {
    if (threadId === undefined) return;
    ask(`v1/threads/${encodeURIComponent(threadId)}/fork`, { json: at === undefined ? {} : { version: at } })
      .then((response) => response.json())
      .then(({ thread_id }: { readonly thread_id: string }) => {
        void queryClient.invalidateQueries({ queryKey: ["threads"] });
        open(thread_id);
      })
      .catch(fail);
  }, [threadId, at, open, fail]);
}
