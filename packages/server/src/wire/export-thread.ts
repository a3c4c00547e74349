import type { TenantRuntime } from "@reprise/runtime";

/** The form of an exported thread. */
const THREAD_FORMAT = "reprise-thread/1";

/** A commit may be long: few are held for a client that reads slowly. */
const COMMITS_AT_ONCE = 8;

/**
 * A thread as lines of JSON: what it is with its state at the version it begins after, its changesets, and a last line without which
 * it is not whole. Read from the store page by page as it is taken away. What comes while it is read is left out.
 */
export async function exportThread(
  { threads }: TenantRuntime,
  threadId: string,
  after: number,
): Promise<ReadableStream<Uint8Array>> {
  const thread = await threads.get(threadId);
  // Asked for before anything is answered, so that what is not there is said as an error.
  const state = after === 0 ? {} : await threads.state(threadId, { version: after });
  const first = await threads.changesets(threadId, { after, limit: COMMITS_AT_ONCE });
  const encoder = new TextEncoder();
  let at = after;
  let page = first;
  let isOpened = false;
  const source: UnderlyingDefaultSource<Uint8Array> = {
    async pull(controller) {
      const lines: object[] = isOpened ? [] : [{ type: "thread", format: THREAD_FORMAT, thread, after, state }];
      isOpened = true;
      const changesets = page.filter(({ version }) => version <= thread.version);
      lines.push(...changesets.map((changeset) => ({ type: "changeset", ...changeset })));
      at = changesets.at(-1)?.version ?? at;
      const isWhole = at >= thread.version || changesets.length === 0;
      if (isWhole) lines.push({ type: "end", version: at });
      controller.enqueue(encoder.encode(lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
      if (isWhole) controller.close();
      else page = await threads.changesets(threadId, { after: at, limit: COMMITS_AT_ONCE });
    },
  };
  // Nothing is read ahead of the client.
  return new ReadableStream<Uint8Array>(source, { highWaterMark: 0 });
}
