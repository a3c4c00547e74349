import type { EntryQuery, MailboxEntry, Page } from "@reprise/contracts";
import type { Mailbox } from "@reprise/runtime";

/** Who an entry came from: a client, or the runtime itself, also on behalf of another run. */
export type EntryOrigin = "external" | "internal";

function originOf({ kind, request }: MailboxEntry): EntryOrigin {
  const isAsked = kind === "run" && request?.origin !== "internal" && request?.origin !== "subagent";
  return isAsked ? "external" : "internal";
}

/**
 * A page of the entries of one origin, or of all. Stores do not know origins: then all entries of the thread are looked at, and those of the
 * page are kept.
 */
export async function listEntries(
  mailbox: Mailbox,
  query: EntryQuery & { readonly offset: number; readonly limit: number },
  origin: EntryOrigin | undefined,
): Promise<Page<MailboxEntry>> {
  if (origin === undefined) return mailbox.list(query);
  const { offset, limit, ...filter } = query;
  const items: MailboxEntry[] = [];
  let total = 0;
  for (let seen = 0, hasMore = true; hasMore; seen += ENTRIES_AT_ONCE) {
    const page = await mailbox.list({ ...filter, offset: seen, limit: ENTRIES_AT_ONCE });
    for (const entry of page.items) {
      if (originOf(entry) !== origin) continue;
      if (total >= offset && items.length < limit) items.push(entry);
      total += 1;
    }
    hasMore = page.has_more;
  }
  return { items, total, has_more: offset + items.length < total };
}

/** An entry holds a whole request: few are held at a time. */
const ENTRIES_AT_ONCE = 32;

/** An entry as clients see it. */
export function encodeEntry(entry: MailboxEntry): object {
  return { ...entry, origin: originOf(entry) };
}
