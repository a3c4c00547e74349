import type { Client, components } from "@reprise/client";
import type { AgentEvent } from "@reprise/contracts";
import { Observable } from "./observable.ts";

export type ThreadMessage = components["schemas"]["Message"];

/** A tool call of the answer that is being written. */
export interface LiveCall {
  readonly id: string;
  readonly name: string;
  readonly arguments?: unknown;
  readonly status: "running" | "done" | "failed" | "needs_approval";
}

/** The answer that is being written. */
export interface LiveAnswer {
  readonly runId: string;
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly LiveCall[];
}

export interface ThreadView {
  /** `waiting`: the run needs a decision. */
  readonly status: "loading" | "idle" | "running" | "waiting" | "failed";
  readonly messages: readonly ThreadMessage[];
  readonly live?: LiveAnswer;
  /** Why the last request or run failed. */
  readonly error?: string;
}

const EMPTY: ThreadView = { status: "loading", messages: [] };

/** One thread as a page shows it: its stored messages, and the answer under way. */
export class ThreadStore extends Observable<ThreadView> {
  readonly #client: Client;
  readonly #threadId: string;
  #stop = new AbortController();
  #runId: string | undefined;

  constructor(client: Client, threadId: string) {
    super(EMPTY);
    this.#client = client;
    this.#threadId = threadId;
  }

  /** Loads the thread and follows its open run. Returns the way to stop. */
  open(): () => void {
    this.#stop = new AbortController();
    void this.#load();
    return () => this.#stop.abort();
  }

  /** Says something; resolves when the server has accepted it. */
  async send(agentId: string, content: string): Promise<void> {
    const shown: ThreadMessage = { id: crypto.randomUUID(), role: "user", content };
    this.update((view) => ({ ...withoutError(view), messages: [...view.messages, shown], status: "running" }));
    try {
      const message = { id: shown.id, role: "user", content } as const;
      const run = await this.#client.start(
        { agentId, threadId: this.#threadId, messages: [message] },
        { signal: this.#stop.signal },
      );
      void this.#read(run.runId, run.events);
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Ends the run under way. */
  async cancel(): Promise<void> {
    const id = this.#runId;
    if (id !== undefined) await this.#client.POST("/v1/runs/{id}/cancel", { params: { path: { id } } });
  }

  async #load(): Promise<void> {
    try {
      const messages = await this.#messages();
      const query = { thread_id: this.#threadId, limit: 1 };
      const { data } = await this.#client.GET("/v1/runs", { params: { query } });
      const latest = data?.items[0];
      const isOpen = latest !== undefined && latest.status !== "done";
      this.update((view) => ({ ...view, messages, status: isOpen ? "running" : "idle" }));
      if (isOpen) await this.#follow(latest.run_id);
    } catch (error) {
      this.#fail(error);
    }
  }

  #follow(runId: string): Promise<void> {
    return this.#read(runId, this.#client.events(runId, { follow: true, signal: this.#stop.signal }));
  }

  async #read(runId: string, events: AsyncIterable<{ readonly event: AgentEvent }>): Promise<void> {
    this.#runId = runId;
    let isWaiting = false;
    try {
      for await (const { event } of events) {
        if (this.#stop.signal.aborted) return;
        // Events of runs below this one are told apart by their run.
        if (event.run_id !== runId) continue;
        isWaiting = event.type === "run_finish" && event.data.termination.type === "suspended";
        this.update((view) => applyEvent(view, runId, event));
        if (event.type === "run_finish") await this.#refresh();
      }
      // A stream that began with the run ends where it waits; from there on it is followed.
      if (isWaiting && !this.#stop.signal.aborted) await this.#followFrom(runId);
    } catch (error) {
      this.#fail(error);
    }
  }

  async #followFrom(runId: string): Promise<void> {
    this.update((view) => ({ ...view, live: { runId, text: "", reasoning: "", calls: [] } }));
    await this.#follow(runId);
  }

  async #refresh(): Promise<void> {
    const messages = await this.#messages();
    this.update(({ live, ...view }) =>
      view.status === "waiting" && live !== undefined ? { ...view, messages, live } : { ...view, messages },
    );
  }

  async #messages(): Promise<readonly ThreadMessage[]> {
    const path = { id: this.#threadId };
    const { data, response } = await this.#client.GET("/v1/threads/{id}/messages", {
      params: { path, query: { limit: 200, order: "desc" } },
    });
    // A thread that nothing was said in is not there yet.
    if (response.status === 404) return [];
    if (data === undefined) throw new Error(`The messages could not be loaded (${response.status}).`);
    return data.messages.toReversed();
  }

  #fail(error: unknown): void {
    if (this.#stop.signal.aborted) return;
    this.update((view) => ({
      ...view,
      status: "failed",
      error: error instanceof Error ? error.message : String(error),
    }));
  }
}

function withoutError({ error: _, ...view }: ThreadView): ThreadView {
  return view;
}

const NOTHING: Omit<LiveAnswer, "runId"> = { text: "", reasoning: "", calls: [] };

/** The view after an event of the run. Text is that of the newest step: what earlier steps said is in the stored messages. */
export function applyEvent(view: ThreadView, runId: string, event: AgentEvent): ThreadView {
  const live: LiveAnswer = view.live?.runId === runId ? view.live : { runId, ...NOTHING };
  switch (event.type) {
    case "run_start":
      return { ...view, status: "running", live };
    case "step_reset":
    case "step_start":
      return { ...view, live: { ...live, text: "", reasoning: "" } };
    // What was shown was never stored: the run begins its step again.
    case "stream_reset":
      return { ...view, live: { runId, ...NOTHING } };
    case "text_delta":
      return { ...view, live: { ...live, text: live.text + event.data.delta } };
    case "reasoning_delta":
      return { ...view, live: { ...live, reasoning: live.reasoning + event.data.delta } };
    case "tool_call_start":
      return { ...view, live: withCall(live, { id: event.data.id, name: event.data.name, status: "running" }) };
    case "tool_call_ready": {
      const { id, name, arguments: given } = event.data;
      return { ...view, live: withCall(live, { id, name, arguments: given, status: "running" }) };
    }
    case "tool_call_done": {
      const { id, result, suspended } = event.data;
      const known = live.calls.find((call) => call.id === id);
      const status = suspended !== undefined ? "needs_approval" : result.status === "error" ? "failed" : "done";
      return { ...view, live: withCall(live, { name: result.tool_name, ...known, id, status }) };
    }
    case "run_finish": {
      const { termination } = event.data;
      if (termination.type === "suspended") return { ...view, status: "waiting" };
      const { live: _, ...ended } = view;
      return termination.type === "error"
        ? { ...ended, status: "failed", error: termination.value }
        : { ...ended, status: "idle" };
    }
    default:
      return view;
  }
}

function withCall(live: LiveAnswer, call: LiveCall): LiveAnswer {
  const isKnown = live.calls.some(({ id }) => id === call.id);
  const calls = isKnown ? live.calls.map((each) => (each.id === call.id ? call : each)) : [...live.calls, call];
  return { ...live, calls };
}
