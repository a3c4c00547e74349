import type { EntryQuery, Interrupted, MailboxEntry, Page } from "@reprise/contracts";
import { DEFAULT_INTERRUPT_REASON } from "../effects/outcomes.ts";
import type { Services } from "../loop/services.ts";

/** The queues of threads, from outside. */
export interface Mailbox {
  /** In order of arrival, whatever became of them. */
  list(query?: EntryQuery): Promise<Page<MailboxEntry>>;
  /** Drops what is queued on a thread and ends its open run; durable when it resolves. */
  interrupt(threadId: string, reason?: string): Promise<Interrupted>;
  /** Gives a dead letter another chance. */
  requeue(threadId: string, entryId: string): Promise<MailboxEntry>;
}

export function createMailbox({ store }: Services, tenant: string): Mailbox {
  const entries = store.forTenant(tenant);
  return {
    list: (query) => entries.listEntries(query),
    interrupt: (threadId, reason = DEFAULT_INTERRUPT_REASON) =>
      entries.interruptThread(threadId, reason.toWellFormed()),
    requeue: (threadId, entryId) => entries.requeueEntry(threadId, entryId),
  };
}
