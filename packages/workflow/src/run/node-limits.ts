import type { Clock, WorkContext } from "@reprise/contracts";
import type { RateLimit, WorkflowNode } from "../document/workflow-document.ts";
import type { NodeScope } from "../node/node-executor.ts";
import { type Resolved, renderTemplate } from "../template/resolve-template.ts";
import type { WorkflowHost } from "./workflow-host.ts";

/** Limits that the runs of one process share: how many at a time, and how many in a period. */
export class NodeLimits {
  readonly #held = new Map<string, { count: number; readonly waiting: (() => void)[] }>();
  readonly #starts = new Map<string, number[]>();

  /** Waits for a slot under a key; returns the way to give it back. Rejects when the signal aborts first. */
  async acquire(key: string, limit: number, signal: AbortSignal): Promise<() => void> {
    const slots = this.#held.get(key) ?? { count: 0, waiting: [] };
    this.#held.set(key, slots);
    if (slots.count < limit) slots.count += 1;
    else await waitIn(slots.waiting, signal);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const next = slots.waiting.shift();
      // The slot passes to the next without being free in between: nobody who comes now can take it.
      if (next !== undefined) return next();
      slots.count -= 1;
      if (slots.count === 0) this.#held.delete(key);
    };
  }

  /** Waits until one more start fits into the period. */
  async admit(key: string, { limit, period_ms }: RateLimit, clock: Clock, signal: AbortSignal): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const now = clock.mono();
      const starts = (this.#starts.get(key) ?? []).filter((at) => at > now - period_ms);
      this.#starts.set(key, starts);
      const [oldest = now] = starts;
      if (starts.length < limit) {
        starts.push(now);
        return;
      }
      await clock.sleep(Math.max(oldest + period_ms - now, 1), signal);
    }
  }
}

function waitIn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const wake = (): void => {
      signal.removeEventListener("abort", leave);
      resolve();
    };
    const leave = (): void => {
      const index = waiting.indexOf(wake);
      if (index >= 0) waiting.splice(index, 1);
      reject(signal.reason);
    };
    waiting.push(wake);
    signal.addEventListener("abort", leave, { once: true });
  });
}

/** Waits until the limits of a node let it begin; answers with the way to give its slot back. */
export async function admitNode(
  limits: NodeLimits,
  { templates }: Pick<WorkflowHost, "templates">,
  { workflowId, node, scope }: { readonly workflowId: string; readonly node: WorkflowNode; readonly scope: NodeScope },
  { env, signal }: Pick<WorkContext, "env" | "signal">,
): Promise<Resolved<() => void>> {
  const { id, concurrency, rate_limit } = node;
  // Nodes of other workflows may have the same id.
  const own = `${workflowId}/${id}`;
  if (rate_limit !== undefined) await limits.admit(own, rate_limit, env.clock, signal);
  if (concurrency === undefined) return { value: () => undefined };
  const key = await renderTemplate(concurrency.key, scope, templates);
  if ("failure" in key) return key;
  return { value: await limits.acquire(`${own}:${key.value}`, concurrency.limit, signal) };
}
