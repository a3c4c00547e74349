import { type HeldPlan, planHeldCommit, planHeldSubmit } from "../kernel/held-write.ts";
import type { HeldThread, ThreadAnswers, ThreadRequest } from "../kernel/request.ts";
import type { StoreDriver } from "./driver.ts";

/** How many threads are kept; the one that was used longest ago goes first. Losing one costs a reading. */
const MAX_HELD = 2_000;

type Writing = Pick<StoreDriver, "execute" | "writeHeld" | "estimateNow">;

/**
 * The way of commits and submissions that need no reading. A process that holds a claim knows its thread: no other process may append to it. So
 * the rules are applied to what is held of it, and the writes are sent with the condition that this is still true. When it is not,
 * or nothing is held, the operation reads, plans and writes inside the database.
 */
export class HeldThreads {
  readonly #driver: Writing;
  /** In order of use, the latest last. */
  readonly #held = new Map<string, HeldThread>();

  constructor(driver: Writing) {
    this.#driver = driver;
  }

  async commit(asked: ThreadRequest<"commit">): Promise<ThreadAnswers["commit"]> {
    if (this.#driver.writeHeld === undefined) return this.#driver.execute(asked);
    const request = { ...asked, holds: true } as const;
    const { tenant } = request;
    const { thread_id } = request.changeset;
    const key = keyOf(tenant, thread_id);
    const held = this.#take(key);
    const plan =
      held === undefined ? undefined : planHeldCommit(request, held, this.#driver.estimateNow({ tenant, thread_id }));
    const answer = (await this.#write(plan)) ?? (await this.#driver.execute(request));
    this.keep(key, answer.held);
    return answer;
  }

  async submit(asked: ThreadRequest<"submit">): Promise<ThreadAnswers["submit"]> {
    if (this.#driver.writeHeld === undefined) return this.#driver.execute(asked);
    const request = { ...asked, holds: true } as const;
    const { tenant } = request;
    const { thread_id } = request.entry;
    const key = keyOf(tenant, thread_id);
    // A thread under a claim is only enqueued to, and its owner continues with what is held of it.
    const isBusy = this.#held.get(key)?.thread.claim != null;
    if (request.claiming === undefined || isBusy) return this.#driver.execute(request);
    const plan = planHeldSubmit(request, this.#take(key), this.#driver.estimateNow({ tenant, thread_id }));
    const answer = (await this.#write(plan)) ?? (await this.#driver.execute(request));
    if (answer.status === "claimed") this.keep(key, answer.claim.held);
    return answer;
  }

  /** Remembers a thread as an operation left it. */
  keep(key: string, held: HeldThread | undefined): void {
    if (this.#driver.writeHeld === undefined || held === undefined) return;
    this.#held.set(key, held);
    const oldest = this.#held.size > MAX_HELD ? this.#held.keys().next().value : undefined;
    if (oldest !== undefined) this.#held.delete(oldest);
  }

  /** Taken, so that two operations on one thread never plan on the same rows: the second one reads. */
  #take(key: string): HeldThread | undefined {
    const held = this.#held.get(key);
    this.#held.delete(key);
    return held;
  }

  async #write<Answer>(plan: HeldPlan<Answer> | undefined): Promise<Answer | undefined> {
    if (plan === undefined || this.#driver.writeHeld === undefined) return undefined;
    return (await this.#driver.writeHeld(plan.write)) ? plan.answer : undefined;
  }
}

export function keyOf(tenant: string, threadId: string): string {
  return `${tenant}/${threadId}`;
}
