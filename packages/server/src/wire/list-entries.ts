import type { EntryQuery, MailboxEntry } from "@reprise/contracts";
import { MAX_LIMIT } from "@reprise/contracts";
import type { Mailbox } from "@reprise/runtime";

/** Who an entry came from: a client, or the runtime itself, also on behalf of another run. */
export type EntryOrigin = "external" | "internal";

export function originOf({ kind, request }: MailboxEntry): EntryOrigin {
  const isAsked = kind === "run" && request?.origin !== "internal" && request?.origin !== "subagent";
  return isAsked ? "external" : "internal";
}

/** Which part of the entries is wanted. */
export interface EntrySelection {
  readonly offset: number;
  readonly limit: number;
  /** No filter when it is left out. */
  readonly origin?: EntryOrigin;
}

/** A page of the entries of one origin. Stores do not know origins: all entries of the thread are looked at. */
export async function listEntriesOf(
  mailbox: Mailbox,
  query: EntryQuery,
  { offset, limit, origin }: EntrySelection,
): Promise<object> {
  if (origin === undefined) {
    const page = await mailbox.list({ ...query, offset, limit });
    return { ...page, items: page.items.map(encodeEntry) };
  }
  const found: MailboxEntry[] = [];
  for (let seen = 0, hasMore = true; hasMore; seen += MAX_LIMIT) {
    const page = await mailbox.list({ ...query, offset: seen, limit: MAX_LIMIT });
    found.push(...page.items.filter((entry) => originOf(entry) === origin));
    hasMore = page.has_more;
  }
  const items = found.slice(offset, offset + limit).map(encodeEntry);
  return { items, total: found.length, has_more: offset + items.length < found.length };
}

/** An entry as clients see it. */
export function encodeEntry(entry: MailboxEntry): object {
  return { ...entry, origin: originOf(entry) };
}
