import { beforeAll, describe, expect, it } from "vitest";
import type { WitnessRecord } from "../witness/witness-record.ts";
import { checkHistory } from "./check-history.ts";
import type { History, InvariantName, ThreadHistory } from "./history.ts";
import {
  type Change,
  inCalls,
  inChangeset,
  inDecisions,
  inFirstEffect,
  inMessages,
  inRun,
  inRunRow,
  inSeenEvents,
  inThread,
  witnessing,
} from "./testing/change.ts";
import { recordHistory } from "./testing/record-history.ts";

let sound: History;
beforeAll(async () => {
  sound = await recordHistory();
});

it("finds nothing wrong with a history that is sound", () => {
  expect(checkHistory(sound)).toEqual([]);
  expect(sound.effects.map(({ tool }) => tool)).toEqual(expect.arrayContaining(["charge", "note", "pay", "look"]));
});

it("refuses a history in which nothing happened", () => {
  expect(() => checkHistory({ ...sound, effects: [] })).toThrow("Nothing happened");
});

type Case = readonly [what: string, says: RegExp, change: Change];

const CASES: Readonly<Record<InvariantName, readonly Case[]>> = {
  I1: [
    ["an accepted run that is not in the mailbox", /not in the mailbox/, inThread(() => ({ entries: [] }))],
    [
      "a request that is stored otherwise",
      /otherwise than sent/,
      inThread(({ entries }) => ({ entries: entries.map(withoutMessages) })),
    ],
    ["a message that was accepted and is gone", /is not in its thread/, inMessages((messages) => messages.slice(1))],
    ["a decision that was accepted and is gone", /is not stored/, inRun(() => ({ decisions: [] }))],
    [
      "a patch that was accepted and is gone",
      /is not there/,
      inThread(({ changesets }) => ({ changesets: changesets.slice(0, -1) })),
    ],
  ],
  I2: [
    [
      "a version that is missing",
      /not 1 to/,
      inThread(({ changesets }) => ({ changesets: changesets.toSpliced(2, 1) })),
    ],
    ["a changeset that is there twice", /is there twice/, inChangeset(3, () => ({ changeset_id: "t-r85-start" }))],
    ["a state its patches do not make", /not what its patches make/, inThread(() => ({ state: { invented: 1 } }))],
    ["a snapshot that is wrong", /snapshot of version 2/, inThread(() => ({ snapshot: { version: 2, state: {} } }))],
    ["a run's row that is behind", /its last changeset says done/, inRunRow({ status: "waiting" })],
    ["a call's row that is behind", /is running; its last changeset/, inCalls("charge", { status: "running" })],
    [
      "a message that is there twice",
      /is there twice/,
      inMessages((messages) => [...messages, ...messages.slice(0, 1)]),
    ],
  ],
  I3: [
    ["a run nobody asked for", /Nobody asked for run/, inRunRow({ run_id: "stranger" })],
    [
      "words nobody said",
      /Nobody said message/,
      inMessages((messages) => [...messages, { id: "x", role: "user", content: "Hm." }]),
    ],
    [
      "words the model never said",
      /The model never said/,
      inChangeset(2, ({ messages }) => ({ messages: messages.map((message) => ({ ...message, content: "Hm." })) })),
    ],
    [
      "an effect of a call that is not stored",
      /which is not stored/,
      inFirstEffect("charge", (effect) => [{ ...effect, call_id: "stranger" }]),
    ],
    [
      "a patch made twice for one request",
      /or only once/,
      inThread(({ changesets }) => ({ changesets: [...changesets, ...changesets.slice(-1)] })),
    ],
  ],
  I4: [
    [
      "a commit of an owner that was replaced",
      /, after one by epoch 7/,
      inChangeset(2, () => ({ changeset_id: "t-r85-e7-n0" })),
    ],
    ["a queue that was not worked off in its order", /which came first/, inThread(overtaken)],
  ],
  I5: [
    ["a run that is still running", /nobody works on it/, inRunRow({ status: "running" })],
    ["a run that ended for no reason", /It ended as cancelled/, inRunRow({ termination_code: "cancelled" })],
    [
      "something that never came to rest",
      /Still open/,
      (history) => ({ ...history, unfinished: ["run t-r85 is running"] }),
    ],
    ["a run with a call that is not over", /its call .* is running/, inCalls("note", { status: "running" })],
    ["a request that was refused for no reason", /was refused: INTERNAL/, witnessing(...refusedCancel())],
  ],
  I6: [
    [
      "an effect that happened twice",
      /took effect 2 times; at most 1/,
      inFirstEffect("charge", (effect) => [effect, effect]),
    ],
    [
      "an effect under another key",
      /under the key other/,
      inFirstEffect("note", (effect) => [{ ...effect, key: "other" }]),
    ],
    [
      "an effect after its result",
      /began again/,
      inFirstEffect("note", (effect) => [effect, { ...effect, started_at: Date.now() + 1_000 }]),
    ],
    ["a success without an effect", /succeeded without an effect/, inFirstEffect("charge", () => [])],
    [
      "an effect nobody approved",
      /nobody approved it/,
      inThread(({ changesets }) => ({ changesets: changesets.map((item) => ({ ...item, consumed_decisions: [] })) })),
    ],
    [
      "an effect begun by an owner that was replaced",
      /a later one was already at work/,
      inFirstEffect("charge", (effect) => [{ ...effect, epoch: 0 }]),
    ],
    [
      "an effect with other arguments",
      /not with what it was asked for/,
      inFirstEffect("charge", (effect) => [{ ...effect, n: -1 }]),
    ],
    ["a note that is missing from the state", /is not in the state/, inThread(() => ({ state: { notes: [] } }))],
  ],
  I7: [
    ["a decision that was answered in two ways", /answered twice, and differently/, answeredAgain],
    [
      "a decision that was used twice",
      /was used twice/,
      inThread(({ changesets }) => ({ changesets: [...changesets, ...changesets] })),
    ],
    ["a decision that is stored for another call", /is stored for call/, inDecisions({ call_id: "stranger" })],
    ["a call that was denied and succeeded", /was denied and succeeded/, inDecisions({ action: "cancel" })],
    ["a call that was given a result and has another", /and has another/, inDecisions({ result: { supplied: 1 } })],
  ],
  I8: [
    [
      "a stored event that is missing",
      /not numbered from 1 on/,
      inRun(({ segments }) => ({ segments: segments.slice(1) })),
    ],
    [
      "a reader that missed an event",
      /came after event/,
      inSeenEvents((event) => (event.seq === 3 ? undefined : event)),
    ],
    [
      "a reader that was shown what is not stored",
      /is not stored so/,
      inSeenEvents((event) => (event.type === "run_finish" ? { ...event, timestamp_ms: 1 } : event)),
    ],
    [
      "a stream that reads otherwise the second time",
      /the events are others/,
      (history) => ({
        ...history,
        replays: history.replays.map((replay) => ({ ...replay, records: replay.records.slice(0, -1) })),
      }),
    ],
  ],
  I9: [
    [
      "a model that was asked with a call unanswered",
      /has no result/,
      (history) => ({
        ...history,
        models: history.models.map((line) => ({ ...line, messages: line.messages.slice(0, -1) })),
      }),
    ],
    [
      "a call with two results",
      /has 2 results/,
      inMessages((messages) => [...messages, ...messages.filter(({ role }) => role === "tool")]),
    ],
  ],
};

function withoutMessages<Entry extends { readonly request?: object }>(entry: Entry): Entry {
  return { ...entry, request: { ...entry.request, messages: [] } };
}

/** Has an entry in front of the run's own that was started after it. */
function overtaken({ entries, changesets, runs }: ThreadHistory): Partial<ThreadHistory> {
  const first = entries.map((entry) => ({ ...entry, entry_id: "first", run_id: "later" }));
  const later = runs.map(({ run }) => ({ ...run, run_id: "later" }));
  const started = changesets.map((item, place) => (place === changesets.length - 1 ? { ...item, runs: later } : item));
  return { entries: [...first, ...entries], changesets: started };
}

function refusedCancel(): readonly WitnessRecord[] {
  const ask = { op: "cancel", run_id: "t-r85", reason: "" } as const;
  return [
    { at: 1, type: "asked", request: 99, worker: "w", ask },
    { at: 2, type: "refused", request: 99, refusal: { code: "INTERNAL", message: "Oh." } },
  ];
}

/** Has every answer to a decision come again, for a later question. */
function answeredAgain(history: History): History {
  const again = history.witness.flatMap((record): readonly WitnessRecord[] => {
    if (record.type === "asked" && record.ask.op === "decide") return [{ ...record, request: record.request + 1_000 }];
    if (record.type !== "answered" || typeof record.answer !== "object" || record.answer === null) return [];
    return [{ ...record, request: record.request + 1_000, answer: { ...record.answer, suspension: 2 } }];
  });
  return witnessing(...again)(history);
}

describe.each(Object.entries(CASES))("%s notices", (invariant, cases) => {
  it.each(cases)("%s", (_what, says, change) => {
    const violations = checkHistory(change(sound)).filter((violation) => violation.invariant === invariant);
    expect(violations.map(({ message }) => message)).toContainEqual(expect.stringMatching(says));
  });
});
