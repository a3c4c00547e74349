import type { WorkContext } from "@reprise/contracts";
import type { RateLimit, WorkflowNode } from "../document/workflow-document.ts";
import type { NodeScope } from "../node/node-executor.ts";
import { type Resolved, renderTemplate } from "../template/resolve-template.ts";
import type { WorkflowHost } from "./workflow-host.ts";

/** Limits that the runs of one process share: how many at a time, and how many in a period. */
export class NodeLimits {
  readonly #held = new Map<string, { count: number; readonly waiting: (() => void)[] }>();
  /** The starts of the last period, and when others are expected. */
  readonly #starts = new Map<string, { readonly made: number[]; readonly planned: number[] }>();

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

  /** Starts once more, if that fits into the period; otherwise answers when it is worth trying again, each time with a later time. */
  start(key: string, { limit, period_ms }: RateLimit, now: number): number {
    const known = this.#starts.get(key);
    const made = (known?.made ?? []).filter((at) => at > now - period_ms);
    const planned = (known?.planned ?? []).filter((at) => at > now);
    this.#starts.set(key, { made, planned });
    if (made.length < limit) {
      made.push(now);
      return 0;
    }
    // Those who wait come one by one when it is their turn, not all at once.
    const at = ([...made, ...planned].at(-limit) ?? now) + period_ms;
    planned.push(at);
    return Math.max(at - now, 1);
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

/** A wait up to this long is made in place; a longer one outlives the process. */
export const LONGEST_WAIT_IN_PLACE_MS = 10_000;

/** What the limits of a node say: the way to give its slot back, or for how long it has to wait elsewhere. */
export type Admission = Resolved<() => void> | { readonly waitMs: number };

/** Asks the limits of a node whether it may begin. Waits for a slot, and for a time that is soon. */
export async function admitNode(
  limits: NodeLimits,
  { templates }: Pick<WorkflowHost, "templates">,
  { workflowId, node, scope }: { readonly workflowId: string; readonly node: WorkflowNode; readonly scope: NodeScope },
  { env, signal }: Pick<WorkContext, "env" | "signal">,
): Promise<Admission> {
  const { id, concurrency, rate_limit } = node;
  // Nodes of other workflows may have the same id.
  const own = `${workflowId}/${id}`;
  for (let waitMs = 1; rate_limit !== undefined && waitMs > 0; ) {
    signal.throwIfAborted();
    waitMs = limits.start(own, rate_limit, env.clock.mono());
    if (waitMs > LONGEST_WAIT_IN_PLACE_MS) return { waitMs };
    if (waitMs > 0) await env.clock.sleep(waitMs, signal);
  }
  if (concurrency === undefined) return { value: () => undefined };
  const key = await renderTemplate(concurrency.key, scope, templates);
  if ("failure" in key) return key;
  return { value: await limits.acquire(`${own}:${key.value}`, concurrency.limit, signal) };
}
