import type { Client, components } from "@reprise/client";
import { useEffect, useMemo, useSyncExternalStore } from "react";
import { Observable } from "./observable.ts";
import { useClient } from "./provider.ts";

export type OpenDecision = components["schemas"]["OpenDecision"];

/** An answer to a question. */
export type Verdict =
  | { readonly action: "approve"; readonly remember?: "once" | "thread" | "always" }
  | { readonly action: "deny"; readonly reason?: string; readonly remember?: "once" | "thread" | "always" }
  | { readonly action: "edit"; readonly arguments: unknown }
  | { readonly action: "supply"; readonly result: unknown };

export interface ApprovalsView {
  readonly isLoaded: boolean;
  readonly open: readonly OpenDecision[];
  /** Why the last request failed. */
  readonly error?: string;
}

export interface UseApprovals extends ApprovalsView {
  /** Decides a question; resolves when the decision is stored. Exactly the question that was shown: another one is refused. */
  decide(question: OpenDecision, verdict: Verdict): Promise<void>;
}

export interface UseApprovalsOptions {
  /** Only the questions of this thread. */
  readonly threadId?: string;
  /** How often the server is asked; every 2 seconds unless given. */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 2_000;

class ApprovalsStore extends Observable<ApprovalsView> {
  readonly #client: Client;
  readonly #options: UseApprovalsOptions;

  constructor(client: Client, options: UseApprovalsOptions) {
    super({ isLoaded: false, open: [] });
    this.#client = client;
    this.#options = options;
  }

  open(): () => void {
    const { intervalMs = INTERVAL_MS } = this.#options;
    void this.#load();
    const timer = setInterval(() => void this.#load(), intervalMs);
    return () => clearInterval(timer);
  }

  async decide({ id, suspension, binding_hash }: OpenDecision, verdict: Verdict): Promise<void> {
    const { error } = await this.#client.POST("/v1/decisions/{id}", {
      params: { path: { id } },
      body: { ...verdict, suspension, bindingHash: binding_hash },
    });
    await this.#load();
    if (error !== undefined) throw new Error(error.error);
  }

  async #load(): Promise<void> {
    const { threadId } = this.#options;
    try {
      const query = { limit: 200, ...(threadId !== undefined && { thread_id: threadId }) };
      const { data, error } = await this.#client.GET("/v1/decisions", { params: { query } });
      if (data === undefined) throw new Error(error?.error);
      this.update((view) => (isSame(view, data.items) ? view : { isLoaded: true, open: data.items }));
    } catch (error) {
      this.update((view) => ({ ...view, error: error instanceof Error ? error.message : String(error) }));
    }
  }
}

function isSame({ isLoaded, open, error }: ApprovalsView, items: readonly OpenDecision[]): boolean {
  return isLoaded && error === undefined && JSON.stringify(open) === JSON.stringify(items);
}

/** The questions that wait for a person, and the way to answer them. */
export function useApprovals({ threadId, intervalMs }: UseApprovalsOptions = {}): UseApprovals {
  const client = useClient();
  const store = useMemo(() => {
    const options = { ...(threadId !== undefined && { threadId }), ...(intervalMs !== undefined && { intervalMs }) };
    return new ApprovalsStore(client, options);
  }, [client, threadId, intervalMs]);
  useEffect(() => store.open(), [store]);
  const view = useSyncExternalStore(store.subscribe, store.get, store.get);
  return useMemo(
    () => ({ ...view, decide: (question: OpenDecision, verdict: Verdict) => store.decide(question, verdict) }),
    [view, store],
  );
}
