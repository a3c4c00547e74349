// npm install @reprise/react
import { type ThreadView, useClient } from "@reprise/react";
import { useEffect, useState } from "react";

export interface Source {
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly year: number;
  readonly note: string;
}

export interface LibraryState {
  readonly topic: string;
  readonly sources: readonly Source[];
  readonly summary: string;
}

const EMPTY: LibraryState = { topic: "", sources: [], summary: "" };

/** The state of the thread, read again whenever the run under way did something. */
export function useLibrary(threadId: string, { live, messages, status }: ThreadView): LibraryState {
  const client = useClient();
  const [library, setLibrary] = useState(EMPTY);
  const calls = live?.calls;
  // biome-ignore lint/correctness/useExhaustiveDependencies: messages, calls and the status say that there may be something new.
  useEffect(() => {
    // A thread that nothing was said in is not there yet.
    if (messages.length === 0) return;
    let isNewest = true;
    const path = { id: threadId };
    void client.GET("/v1/threads/{id}/state", { params: { path } }).then(({ data }) => {
      const state = data?.state as { readonly library?: LibraryState } | undefined;
      if (isNewest && state?.library !== undefined) setLibrary(state.library);
    });
    return () => {
      isNewest = false;
    };
  }, [client, threadId, messages, calls, status]);
  return library;
}
