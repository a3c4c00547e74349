import type { Message, StoredChangeset, TenantStore } from "@reprise/contracts";
import { walkChangesets } from "../thread/read-changesets.ts";

/** What a thread said before a run, to be read as often as needed, and the ids of what was withdrawn by then. */
export interface MessagesBefore {
  read(): AsyncIterable<Message>;
  readonly superseded: readonly string[];
}

/**
 * The messages before a run's first commit. They lie before its own in the thread, so nothing behind those is read; what came after
 * is looked at only for messages that are withdrawn today and perhaps were not then. `own` are the ids of the run's messages.
 */
export async function messagesBefore(
  store: TenantStore,
  start: StoredChangeset,
  own: ReadonlySet<string>,
): Promise<MessagesBefore> {
  // Before the first version nothing was said.
  if (start.version === 1) return { read: () => filtered([], () => true), superseded: [] };
  const later = own.size > 0 ? own : (await lookBehind(store, start)).said;
  const all = (): AsyncIterable<Message> => readUntil(store, start.thread_id, later, { include_superseded: true });
  const kept = await idsOf(readUntil(store, start.thread_id, later));
  const withdrawnToday = [...(await idsOf(all()))].filter((id) => !kept.has(id));
  if (withdrawnToday.length === 0) return { read: all, superseded: [] };
  const { withdrawn } = await lookBehind(store, start);
  const superseded = withdrawnToday.filter((id) => !withdrawn.has(id));
  const gone = new Set(superseded);
  return { read: () => filtered(all(), ({ id }) => !gone.has(id)), superseded };
}

async function idsOf(messages: AsyncIterable<Message>): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const { id } of messages) ids.add(id);
  return ids;
}

async function* filtered(
  messages: AsyncIterable<Message> | readonly Message[],
  isThere: (message: Message) => boolean,
): AsyncGenerator<Message, void> {
  for await (const message of messages) if (isThere(message)) yield message;
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
async function* readUntil(
  store: TenantStore,
  threadId: string,
  ends: ReadonlySet<string>,
  query: { readonly include_superseded?: boolean } = {},
): AsyncGenerator<Message, void> {
  for (let after: number | undefined; ; ) {
    const cursor = after === undefined ? {} : { after };
    const page = await store.listMessages(threadId, {
      ...query,
      ...cursor,
      visibility: "any",
      limit: MESSAGES_AT_ONCE,
    });
    for (const { cursor: _, ...message } of page.messages) {
      if (ends.has(message.id)) return;
      yield message;
    }
    if (!page.has_more || page.next_cursor === undefined) return;
    after = page.next_cursor;
  }
}

/** A message may be long: few are held for an export that is read slowly. */
const MESSAGES_AT_ONCE = 32;
