import { MAX_LIMIT, type Message, type StoredChangeset, type TenantStore } from "@reprise/contracts";
import { walkChangesets } from "../thread/read-changesets.ts";

/** What a thread said before a run, and the ids of what was withdrawn by then. */
export interface MessagesBefore {
  readonly messages: readonly Message[];
  readonly superseded: readonly string[];
}

/**
 * The messages before a run's first commit. They lie before its own in the thread, so nothing behind those is read; what came after
 * is looked at only for messages that are withdrawn today and perhaps were not then.
 */
export async function messagesBefore(
  store: TenantStore,
  changesets: readonly StoredChangeset[],
): Promise<MessagesBefore> {
  const [start] = changesets;
  // Before the first version nothing was said.
  if (start === undefined || start.version === 1) return { messages: [], superseded: [] };
  const own = new Set(changesets.flatMap(({ messages }) => messages.map(({ id }) => id)));
  const later = own.size > 0 ? own : (await lookBehind(store, start)).said;
  const before = await readUntil(store, start.thread_id, later, { include_superseded: true });
  const kept = new Set((before.length === 0 ? [] : await readUntil(store, start.thread_id, later)).map(({ id }) => id));
  if (before.every(({ id }) => kept.has(id))) return { messages: before, superseded: [] };
  const { withdrawn } = await lookBehind(store, start);
  const isThere = ({ id }: Message): boolean => kept.has(id) || withdrawn.has(id);
  return { messages: before.filter(isThere), superseded: before.filter((each) => !isThere(each)).map(({ id }) => id) };
}

/** What was said and what was withdrawn from a changeset on. */
async function lookBehind(
  store: TenantStore,
  { thread_id, version }: StoredChangeset,
): Promise<{ readonly said: ReadonlySet<string>; readonly withdrawn: ReadonlySet<string> }> {
  const said = new Set<string>();
  const withdrawn = new Set<string>();
  for await (const { messages, supersedes } of walkChangesets(store, thread_id, version - 1)) {
    for (const { id } of messages) said.add(id);
    for (const id of supersedes) withdrawn.add(id);
  }
  return { said, withdrawn };
}

/** The messages of a thread up to the first of some. */
async function readUntil(
  store: TenantStore,
  threadId: string,
  ends: ReadonlySet<string>,
  query: { readonly include_superseded?: boolean } = {},
): Promise<readonly Message[]> {
  const messages: Message[] = [];
  for (let after: number | undefined; ; ) {
    const cursor = after === undefined ? {} : { after };
    const page = await store.listMessages(threadId, { ...query, ...cursor, visibility: "any", limit: MAX_LIMIT });
    for (const { cursor: _, ...message } of page.messages) {
      if (ends.has(message.id)) return messages;
      messages.push(message);
    }
    if (!page.has_more || page.next_cursor === undefined) return messages;
    after = page.next_cursor;
  }
}
