import {
  MAX_METADATA_BYTES,
  type Message,
  type RunRecord,
  type RunRequest,
  type Submitted,
  type ToolCallRecord,
} from "@reprise/contracts";
import { buildChangeset } from "../build/build-changeset.ts";
import { buildCall, buildEntry, buildRun } from "../build/build-records.ts";
import { LEASE_MS, type StoreBench } from "../store/store-bench.ts";
import { conversationReadings } from "./conversation-readings.ts";
import type { Corpus } from "./corpus.ts";
import { makeEvents } from "./make-events.ts";
import { makeMessages } from "./make-messages.ts";
import { asJson, type Reading } from "./reading.ts";

/** A run that starts at once and commits a turn, with hostile values wherever there is room for one. */
export async function putConversation(
  { tenant }: StoreBench,
  corpus: Corpus,
  threadId: string,
): Promise<readonly Reading[]> {
  const place = { run_id: `${threadId}-run`, thread_id: threadId };
  const run = buildRun({ ...place, metadata: corpus.record(), resource_id: corpus.text(), last_seq: 0 });
  const first = makeMessages(corpus, `${threadId}-a`, 6);
  const request = makeRequest(corpus, first);
  const start = buildChangeset({ ...place, changeset_id: `${threadId}-1`, messages: first, runs: [run] });
  const submitted = await tenant.submit(buildEntry({ ...place, entry_id: `${threadId}-entry`, request }), {
    owner: "owner-1",
    lease_ms: LEASE_MS,
    changeset: start,
    expected: 0,
  });
  const later = makeMessages(corpus, `${threadId}-b`, 24);
  const calls = Array.from({ length: 8 }, (_, index) => makeCall(corpus, place, `${threadId}-c${index}`));
  const turn = buildChangeset({
    ...place,
    changeset_id: `${threadId}-2`,
    messages: later,
    patches: Array.from({ length: 16 }, (_, index) => makePatch(corpus, `p${index}`, first)),
    actions: [{ source: corpus.text(), action: { state: "s", action: corpus.text(), args: [corpus.json()] } }],
    effects: [{ kind: corpus.text(), of: corpus.text(), attempt: 1, at: 1, value: corpus.json() }],
    runs: [{ ...run, status: "done", termination_code: "natural", termination_detail: corpus.text() }],
    calls,
    events: makeEvents(corpus, place, later, 1),
  });
  await tenant.commit(turn, { expected: 1, epoch: epochOf(submitted) });
  const state = corpus.record();
  await tenant.saveSnapshot(threadId, { version: 2, state });
  const metadata = makeMetadata(corpus);
  await tenant.updateThread(threadId, metadata);
  return [
    ...conversationReadings(start, turn),
    {
      place: "the request of a run that started at once",
      expected: [asJson(request)],
      read: async (store) =>
        (await store.listEntries({ thread_id: threadId })).items.map((item) => asJson(item.request)),
    },
    {
      place: "snapshots",
      expected: [state],
      read: async (store) => [(await store.loadSnapshot(threadId))?.state],
    },
    {
      place: "metadata of threads",
      expected: [metadata],
      read: async (store) => [(await store.loadThread(threadId))?.thread.metadata],
    },
  ];
}

function makeRequest(corpus: Corpus, messages: readonly Message[]): RunRequest {
  const said = messages.map(({ role, content }) => ({ role, content }));
  return { agent_id: "agent-1", messages: said, state: corpus.record(), metadata: corpus.record() };
}

function makeCall(corpus: Corpus, place: Pick<RunRecord, "run_id" | "thread_id">, callId: string): ToolCallRecord {
  const answers = { problem: corpus.text(), refusal: corpus.text(), provider_call_id: corpus.text() };
  return buildCall({ ...place, call_id: callId, status: "succeeded", arguments: corpus.json(), ...answers });
}

/** Sets a value at a key that may be anything, sometimes to something a message said. */
function makePatch(corpus: Corpus, id: string, messages: readonly Message[]) {
  const said = messages[corpus.below(messages.length)]?.content;
  const value = corpus.below(4) === 0 && typeof said === "string" ? said : corpus.json();
  return { id, source: corpus.text(), ops: [{ op: "set" as const, path: [corpus.text(), 0, "k"], value }] };
}

function epochOf(submitted: Submitted): number {
  if (submitted.status !== "claimed") throw new Error(`The thread was not idle: ${submitted.status}.`);
  return submitted.claim.epoch;
}

/** A record that is within the limit of metadata. */
function makeMetadata(corpus: Corpus): ReturnType<Corpus["record"]> {
  for (;;) {
    const metadata = corpus.record();
    // A character has three bytes at most.
    if (JSON.stringify(metadata).length * 3 <= MAX_METADATA_BYTES) return metadata;
  }
}
