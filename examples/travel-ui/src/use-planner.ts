import type { Interrupt, Message } from "@ag-ui/client";
import { useEffect, useMemo, useState } from "react";
import { ThreadAgent } from "./thread-agent.ts";

export interface Plan {
  readonly city: string;
  readonly days: readonly { readonly title: string; readonly stops: readonly string[] }[];
}

export interface Trip extends Plan {
  readonly id: string;
  readonly travellers: number;
  readonly price: number;
}

interface View {
  readonly messages: readonly Message[];
  readonly plan: Plan | null;
  readonly trips: readonly Trip[];
  readonly questions: readonly Interrupt[];
  readonly isRunning: boolean;
}

export interface Planner extends View {
  /** Set while the server cannot be reached. */
  readonly problem?: string;
  say(text: string): void;
  /** Answers a question of the agent. */
  answer(question: Interrupt, payload: { readonly approved: boolean; readonly editedArgs?: object }): void;
}

const RETRY_MS = 1_000;

/** The planner of a thread, as a page shows it. The server keeps the thread, so a page that lost it connects again. */
export function usePlanner(threadId: string): Planner {
  const agent = useMemo(() => new ThreadAgent({ url: "/v1/ag-ui/agents/planner/runs", threadId }), [threadId]);
  const [view, setView] = useState(() => viewOf(agent));
  const [problem, setProblem] = useState<string>();

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const show = (): void => setView(viewOf(agent));
    const connect = (): void => {
      // `onRunFailed` hears of a failure.
      void agent.connectAgent().catch(() => undefined);
    };
    const { unsubscribe } = agent.subscribe({
      onMessagesChanged: show,
      onStateChanged: show,
      onRunInitialized: show,
      onRunStartedEvent: () => setProblem(undefined),
      onRunFinalized: show,
      onRunFailed: ({ error }) => {
        setProblem(error.message);
        timer = setTimeout(connect, RETRY_MS);
      },
    });
    connect();
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [agent]);

  const run = (input: Parameters<ThreadAgent["runAgent"]>[0]): void => {
    void agent.runAgent(input).catch(() => undefined);
  };
  return {
    ...view,
    ...(problem !== undefined && { problem }),
    say(text) {
      agent.addMessage({ id: crypto.randomUUID(), role: "user", content: text });
      run({});
    },
    answer: ({ id: interruptId }, payload) => run({ resume: [{ interruptId, status: "resolved", payload }] }),
  };
}

function viewOf(agent: ThreadAgent): View {
  const { plan = null, trips = [] } = (agent.state as { readonly travel?: Partial<View> } | undefined)?.travel ?? {};
  const { messages, pendingInterrupts, isRunning } = agent;
  return { messages: [...messages], plan, trips, questions: isRunning ? [] : [...pendingInterrupts], isRunning };
}
