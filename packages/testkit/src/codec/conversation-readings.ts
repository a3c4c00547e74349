import type { Changeset, Message, RunRecord, TenantStore, ToolCallRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { messageValue } from "./make-messages.ts";
import { asJson, eventValue, type Reading } from "./reading.ts";

/** Everywhere the values of two changesets of one thread can be read back from. The second holds all events, patches and rows. */
export function conversationReadings(start: Changeset, turn: Changeset): readonly Reading[] {
  return [
    ...messageReadings(turn.thread_id, [...start.messages, ...turn.messages]),
    ...rowReadings(turn, [start, turn]),
  ];
}

function messageReadings(threadId: string, messages: readonly Message[]): readonly Reading[] {
  const list = async (store: TenantStore) =>
    (await store.listMessages(threadId, { visibility: "any", limit: 200 })).messages;
  return [
    {
      place: "what messages say",
      expected: messages.map(({ content }) => asJson(content)),
      read: async (store) => (await list(store)).map(({ content }) => asJson(content)),
    },
    {
      place: "what tools are asked",
      expected: messages.map(({ tool_calls }) => asJson(tool_calls)),
      read: async (store) => (await list(store)).map(({ tool_calls }) => asJson(tool_calls)),
    },
    {
      place: "metadata of messages",
      expected: messages.map(({ metadata }) => asJson(metadata)),
      read: async (store) => (await list(store)).map(({ metadata }) => asJson(metadata)),
    },
    {
      place: "messages as the owner reads them",
      expected: messages.map(messageValue),
      read: async (store) => (await store.readMessages(threadId, 0)).messages.map(messageValue),
    },
  ];
}

function rowReadings(turn: Changeset, changesets: readonly Changeset[]): readonly Reading[] {
  const { thread_id, run_id } = turn;
  const runId = run_id ?? "";
  return [
    {
      place: "changesets",
      expected: changesets.map(changesetValue),
      read: async (store) => (await store.readChangesets(thread_id, 0)).map(changesetValue),
    },
    {
      place: "patches of the state",
      expected: turn.patches.map(asJson),
      read: async (store) => (await store.readPatches(thread_id, 1)).flatMap(({ patches }) => patches.map(asJson)),
    },
    {
      place: "events",
      expected: turn.events.map(eventValue),
      read: async (store) => (await store.readEvents(runId, 0)).flatMap(({ events }) => events.map(eventValue)),
    },
    {
      place: "calls",
      expected: turn.calls.map(callValue),
      read: async (store) => (await store.listCalls({ run_id: runId })).items.map(callValue),
    },
    {
      place: "runs",
      expected: turn.runs.map(runValue),
      read: async (store) => [await store.loadRun(runId)].map((run) => (run === undefined ? undefined : runValue(run))),
    },
  ];
}

/** The parts of records that come from outside, each in a fixed order. */
function changesetValue({ messages, patches, actions, effects, calls, runs, events }: Changeset): Json {
  return [
    messages.map(messageValue),
    [asJson(patches), asJson(actions), asJson(effects)],
    calls.map(callValue),
    runs.map(runValue),
    events.map(eventValue),
  ];
}

function callValue({ call_id, arguments: given, problem, refusal, provider_call_id }: ToolCallRecord): Json {
  return [call_id, given, asJson(problem), asJson(refusal), asJson(provider_call_id)];
}

function runValue({ run_id, metadata, resource_id, termination_detail }: RunRecord): Json {
  return [run_id, asJson(metadata), asJson(resource_id), asJson(termination_detail)];
}
