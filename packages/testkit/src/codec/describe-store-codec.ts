import { MAX_DOCUMENT_BYTES, type MailboxEntry, type NewEntry, type TenantStore } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildEntry } from "../build/build-records.ts";
import type { OpenedStore, OpenStore } from "../store/open-store.ts";
import { StoreBench } from "../store/store-bench.ts";
import { Corpus } from "./corpus.ts";
import { makeMessages } from "./make-messages.ts";
import { putConversation } from "./put-conversation.ts";
import { putDecisions } from "./put-decisions.ts";
import { asJson, findDifferences, type Reading } from "./reading.ts";

export interface CodecOptions {
  /** How many values to put; 10,000 unless said. */
  readonly values?: number;
}

/** How many threads are filled at the same time. */
const AT_ONCE = 8;

/**
 * Puts thousands of hostile values wherever a store takes values from outside, and expects to read each back as it was. They
 * follow from the seed of the property tests, so that `REPRISE_SEED` repeats them.
 */
export function describeStoreCodec(name: string, open: OpenStore, { values = 10_000 }: CodecOptions = {}): void {
  describe(`the ${name} store and ${values} hostile values`, () => {
    const seed = fc.readConfigureGlobal().seed ?? 1;
    let opened: OpenedStore | undefined;
    let tenants: readonly TenantStore[] = [];
    let filled: Filled = { readings: [], taken: 0 };
    beforeAll(async () => {
      opened = await open();
      const bench = new StoreBench(opened);
      filled = await fill(bench, seed, values);
      const handles = new Set([bench.store, await bench.otherHandle()]);
      tenants = [...handles].map((handle) => handle.forTenant("tenant-1"));
    }, 120_000);
    afterAll(() => opened?.close());

    it("took them all", () => {
      expect(filled.taken).toBeGreaterThanOrEqual(values);
    });

    for (const place of PLACES) {
      it(`gives back ${place}`, async () => {
        const readings = filled.readings.filter((reading) => reading.place === place);
        expect(readings.length, `readings of ${place}`).toBeGreaterThan(0);
        const differences = tenants.flatMap((tenant) => readings.map((reading) => findDifferences(reading, tenant)));
        expect((await Promise.all(differences)).flat(), `with the seed ${seed}`).toEqual([]);
      });
    }

    it("covers every position at which a value can stand", () => {
      expect(new Set(filled.readings.map(({ place }) => place))).toEqual(new Set(PLACES));
    });
  });
}

/** Where values were put. */
const PLACES: readonly string[] = [
  "what messages say",
  "what tools are asked",
  "metadata of messages",
  "messages as the owner reads them",
  "changesets",
  "patches of the state",
  "snapshots",
  "events",
  "calls",
  "runs",
  "metadata of threads",
  "the request of a run that started at once",
  "requests in the mailbox",
  "decisions",
  "decisions in the inbox",
  "why a run is to end",
  "documents",
  "documents in lists",
];

const PUTTERS = [putConversation, putDecisions, putEntries, putDocuments] as const;

interface Filled {
  readonly readings: readonly Reading[];
  readonly taken: number;
}

/** Fills thread after thread until enough values are in, several at a time. */
async function fill(bench: StoreBench, seed: number, values: number): Promise<Filled> {
  const readings: Reading[] = [];
  let taken = 0;
  for (let round = 0; taken < values; round += AT_ONCE) {
    const rounds = Array.from({ length: AT_ONCE }, async (_, index) => {
      // One corpus each, so that the values do not depend on who comes first.
      const corpora = PUTTERS.map((_put, part) => new Corpus(seed + (round + index) * PUTTERS.length + part));
      const put = PUTTERS.map((putter, part) =>
        putter(bench, corpora[part] ?? new Corpus(seed), `thread-${round + index}-${part}`),
      );
      const readings = (await Promise.all(put)).flat();
      return { readings, taken: corpora.reduce((sum, corpus) => sum + corpus.taken, 0) };
    });
    for (const filled of await Promise.all(rounds)) {
      readings.push(...filled.readings);
      taken += filled.taken;
    }
  }
  return { readings, taken };
}

/** Documents of one kind, named after the thread that stands beside them. */
async function putDocuments({ tenant }: StoreBench, corpus: Corpus, kind: string): Promise<readonly Reading[]> {
  const bodies = Array.from({ length: 6 }, () => shortened(corpus.below(2) === 0 ? corpus.json() : corpus.record()));
  await Promise.all(bodies.map((body, index) => tenant.saveDocument({ kind, id: `d${index}`, body }, 0)));
  return [
    {
      place: "documents",
      expected: bodies,
      read: async (store) => {
        const found = await Promise.all(bodies.map((_, index) => store.loadDocument(kind, `d${index}`)));
        return found.map((document) => document && asJson(document.body));
      },
    },
    {
      place: "documents in lists",
      expected: bodies,
      read: async (store) => (await store.listDocuments({ kind })).items.map(({ body }) => body),
    },
  ];
}

/** The corpus has texts that are longer than a document may be; their beginning is hostile enough. */
function shortened(body: Json): Json {
  const text = JSON.stringify(body);
  return new TextEncoder().encode(text).byteLength > MAX_DOCUMENT_BYTES ? text.slice(0, MAX_DOCUMENT_BYTES / 8) : body;
}

/** Runs that wait in a mailbox, asked for in hostile words. */
async function putEntries({ tenant }: StoreBench, corpus: Corpus, threadId: string): Promise<readonly Reading[]> {
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
