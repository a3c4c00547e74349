import type { MailboxEntry, NewEntry } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { buildEntry } from "../build/build-records.ts";
import type { StoreBench } from "../store/store-bench.ts";
import type { Corpus } from "./corpus.ts";
import { makeMessages } from "./make-messages.ts";
import type { Reading } from "./reading.ts";

/** Runs that wait in a mailbox, asked for in hostile words. */
export async function putEntries(
  { tenant }: StoreBench,
  corpus: Corpus,
  threadId: string,
): Promise<readonly Reading[]> {
  const entries = Array.from({ length: 4 }, (_, index) => makeEntry(corpus, threadId, `${threadId}-e${index}`));
  // One after the other: they are listed in order of arrival.
  for (const entry of entries) await tenant.submit(entry);
  return [
    {
      place: "requests in the mailbox",
      expected: entries.map(entryValue),
      read: async (store) => (await store.listEntries({ thread_id: threadId })).items.map(entryValue),
    },
  ];
}

function makeEntry(corpus: Corpus, thread_id: string, entry_id: string): NewEntry {
  // The run's id is the beginning of some texts: stores may point at it.
  const run_id = `run-of-${entry_id}`;
  const said = makeMessages(corpus, entry_id, 4).map(({ id: _, ...message }) => message);
  const named = { role: "user", content: `${run_id}${corpus.text()}`, id: `${entry_id}-named` } as const;
  const initial_decisions = [{ target_id: corpus.text(), action: "resume", payload: corpus.json() }] as const;
  const request = {
    agent_id: "a",
    messages: [...said, named],
    state: corpus.record(),
    metadata: corpus.record(),
    initial_decisions,
  };
  // Part of the key, so that no two are the same.
  const dedupe_key = `${entry_id} ${corpus.text()}`;
  return buildEntry({ thread_id, entry_id, run_id, request, dedupe_key, sender_id: corpus.text() });
}

function entryValue({ entry_id, request, dedupe_key, sender_id }: NewEntry | MailboxEntry): Json {
  // Requests are JSON, which their interface hides from the compiler.
  return [entry_id, (request ?? null) as unknown as Json, dedupe_key ?? null, sender_id ?? null];
}
