import type { AgentEvent } from "@reprise/contracts";
import { useEffect, useState } from "react";
import { followRun } from "../../api/follow-run.ts";
import { queryClient } from "../../api/queries.ts";

/** How soon the state is read again after something happened to a node. */
const SETTLE_MS = 150;

/** The events of a workflow's run and the runs below it, as they come; each change of a node has the run read again. */
export function useRunLog(runId: string): { readonly events: readonly AgentEvent[]; readonly problem: unknown } {
  const [events, setEvents] = useState<readonly AgentEvent[]>([]);
  const [problem, setProblem] = useState<unknown>();
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void queryClient.invalidateQueries({ queryKey: ["workflow-run", runId] });
        void queryClient.invalidateQueries({ queryKey: ["decisions"] });
      }, SETTLE_MS);
    };
    const follow = async (): Promise<void> => {
      for await (const frames of followRun(runId, { signal: stop.signal })) {
        const added = frames.map(({ event }) => event);
        setEvents((before) => [...before, ...added]);
        if (added.some(({ type, run_id }) => run_id === runId && (type.startsWith("node_") || type.startsWith("run_"))))
          refresh();
      }
    };
    follow().catch((error: unknown) => {
      if (!stop.signal.aborted) setProblem(error);
    });
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [runId]);
  return { events, problem };
}
