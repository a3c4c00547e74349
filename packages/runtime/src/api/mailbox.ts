import {
  type EntryFilter,
  type Interrupted,
  MAX_LIMIT,
  type MailboxEntry,
  notFound,
  type Page,
  type TenantStore,
} from "@reprise/contracts";
import { toStoredKeys } from "@reprise/contracts/shape";
import { returnAllotment } from "../budget/return-allotments.ts";
import { DEFAULT_INTERRUPT_REASON } from "../effects/outcomes.ts";
import { answerForStopped } from "../loop/run-family.ts";
import type { Services } from "../loop/services.ts";

/** The queues of threads, from outside. */
export interface Mailbox {
  /** In order of arrival, whatever became of them. */
  list(query?: EntryFilter): Promise<Page<MailboxEntry>>;
  /**
   * Drops what is queued on a thread and ends its open run; durable when it resolves. With the `generation` it is meant for it is
   * idempotent: sent again, it answers from what the store has of the interrupt that ended that generation.
   */
  interrupt(threadId: string, reason?: string, options?: { readonly generation?: number }): Promise<Interrupted>;
  /** The generation of a thread. An interrupt ends it and begins the next one. */
  generation(threadId: string): Promise<number>;
  /** Gives a dead letter another chance. */
  requeue(threadId: string, entryId: string): Promise<MailboxEntry>;
}

export function createMailbox({ store, time, budgets }: Services, tenant: string): Mailbox {
  const entries = store.forTenant(tenant);
  return {
    list: (query = {}) => entries.listEntries(toStoredKeys(query)),
    async interrupt(threadId, reason = DEFAULT_INTERRUPT_REASON, options = {}) {
      const answer = await entries.interruptThread(threadId, reason.toWellFormed(), options);
      const { generation } = options;
      // Nothing was interrupted: the thread was idle, or this is the same request again.
      const mayBeRepeat = generation !== undefined && answer.run_id === undefined && answer.superseded.length === 0;
      const done = mayBeRepeat ? await recallInterrupt(entries, threadId, generation) : answer;
      for (const { run_id, request } of done.superseded) {
        if (request === undefined) continue;
        const run = { ...request, run_id };
        await returnAllotment({ budgets }, tenant, run);
        await answerForStopped(entries, run, time.now());
      }
      return done;
    },
    async generation(threadId) {
      const head = await entries.loadThread(threadId);
      if (head === undefined) throw notFound("THREAD_NOT_FOUND", "thread", threadId);
      return head.generation;
    },
    requeue: (threadId, entryId) => entries.requeueEntry(threadId, entryId),
  };
}

/** Reads the result of the interrupt that ended a generation: its entries are superseded, and a `cancel` entry begins the next one. */
async function recallInterrupt(store: TenantStore, threadId: string, ended: number): Promise<Interrupted> {
  const superseded: MailboxEntry[] = [];
  let runId: string | undefined;
  for (let offset = 0; ; offset += MAX_LIMIT) {
    const { items, has_more } = await store.listEntries({ thread_id: threadId, offset, limit: MAX_LIMIT });
    superseded.push(...items.filter(({ status, generation }) => status === "superseded" && generation === ended));
    runId ??= items.find(({ kind, generation }) => kind === "cancel" && generation === ended + 1)?.run_id;
    if (!has_more) return { generation: ended + 1, superseded, ...(runId !== undefined && { run_id: runId }) };
  }
}
