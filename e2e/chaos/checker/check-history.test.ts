import { type AgentEvent, type EventOf, textOf } from "@reprise/contracts";
import type { ReplayResult } from "@reprise/runtime";
import type { Json } from "@reprise/state";
import { beforeAll, describe, expect, it } from "vitest";
import type { Refusal } from "../wire/worker-messages.ts";
import type { WitnessRecord } from "../witness/witness-record.ts";
import { scriptNamed } from "../workload/run-script.ts";
import { checkHistory } from "./check-history.ts";
import type { History, InvariantName, ThreadHistory, Verification } from "./history.ts";
import { findWrongSchedules } from "./invariants/schedules.ts";
import {
  type Change,
  inCalls,
  inChangeset,
  inDecisions,
  inEvents,
  inFirstEffect,
  inMessages,
  inRun,
  inRunRow,
  inSeenEvents,
  inThread,
  witnessing,
} from "./testing/change.ts";
import { FLOW_RUN, recordHistory, TREE_SCRIPT } from "./testing/record-history.ts";

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

/** What a replay says that went another way. */
const DIVERGED: ReplayResult = {
  run_id: "t-r6408",
  mode: "verify",
  equal: false,
  divergence: { version: 2, what: "event", index: 0, expected: "run_start", actual: "run_finish" },
};

type Outcome = { readonly result: ReplayResult } | { readonly refusal: Refusal };

type Case = readonly [what: string, says: RegExp, change: Change];

const CASES: Readonly<Record<Exclude<InvariantName, "I11" | "I12">, readonly Case[]>> = {
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
    ["a changeset that is there twice", /is there twice/, inChangeset(3, () => ({ changeset_id: "t-r6408-start" }))],
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
      inChangeset(2, () => ({ changeset_id: "t-r6408-e7-n0" })),
    ],
    ["a queue that was not worked off in its order", /which came first/, inThread(overtaken)],
  ],
  I5: [
    ["a run that is still running", /nobody works on it/, inRunRow({ status: "running" })],
    [
      "a run that was failed by a process that does not know its agent",
      /It ended as error:AGENT_NOT_FOUND/,
      inRunRow({ termination_code: "error:AGENT_NOT_FOUND" }),
    ],
    ["a wait whose time is up and that never ends", /It waits, and the time of its question .* is up/, everWaiting],
    ["a run that ended for no reason", /It ended as cancelled/, inRunRow({ termination_code: "cancelled" })],
    [
      "something that never came to rest",
      /Still open/,
      (history) => ({ ...history, unfinished: ["run t-r6408 is running"] }),
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
      "an effect that a later version of its tool repeated",
      /took effect 2 times; at most 1/,
      inFirstEffect("charge", (effect) => [effect, { ...effect, version: 2 }]),
    ],
    [
      "an effect of a version that may be repeated, repeated by one that may not",
      /took effect 2 times; at most 1/,
      inFirstEffect("charge", (effect) => [{ ...effect, version: 2 }, effect]),
    ],
    ["a key that was answered with two runs", /was answered with run .* too/, witnessing(...startedUnderOneKey())],
    ["a message that started two runs", /started two runs/, inThread(startedTwice)],
    ["a call by hand that was made twice under one key", /made 2 runs/, calledTwice],
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
    [
      "an approval that is stored with other arguments",
      /with other words than it was made in/,
      inDecisions({ arguments: { n: 13, pause_ms: 0 } }),
    ],
    ["a call that was denied and succeeded", /was denied and succeeded/, inDecisions({ action: "cancel" })],
    [
      "an approval that was used for another version of the tool",
      /as pay@2, which nobody approved/,
      inFirstEffect("pay", (effect) => [{ ...effect, version: 2 }]),
    ],
    [
      "an approval that was used for other arguments",
      /as pay@1, which nobody approved/,
      inEvents((event) => (event.type === "tool_call_done" ? askedAbout(event, { n: -1, pause_ms: 0 }) : event)),
    ],
    ["a question that was asked again without need", /was asked about again/, askedAgain],
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
      "a stream that was said to be over before its reader knew the end",
      /nothing more after event 3 .*never heard of the end/,
      stoppedAfter(3),
    ],
    [
      "a cursor of a withdrawn tail that is taken for a stored one",
      /which was never committed, nothing was withdrawn/,
      (history) => ({
        ...history,
        replays: [{ run_id: "t-r6408", after: `t-r6408:0:${lastSeq(history)}`, records: [] }],
      }),
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
  I10: [
    ["a run that replays to something else", /Its replay differs/, verifiedAs({ result: DIVERGED })],
    [
      "a run that cannot be replayed any more",
      /It cannot be verified: REPLAY_IMPOSSIBLE/,
      verifiedAs({ refusal: { code: "REPLAY_IMPOSSIBLE", message: "Its agent is gone." } }),
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

/** Has somebody ask for a run twice under one key, and be told of two. */
function startedUnderOneKey(): readonly WitnessRecord[] {
  const request = { agent_id: "chaos", thread_id: "t", messages: [] };
  return ["t-r6408", "other"].flatMap((run_id, place): readonly WitnessRecord[] => [
    { at: 1, type: "asked", request: 200 + place, worker: "w", ask: { op: "start", request, idempotency_key: "k" } },
    { at: 2, type: "answered", request: 200 + place, answer: { run_id, thread_id: "t" } },
  ]);
}

function startedTwice({ entries }: ThreadHistory): Partial<ThreadHistory> {
  return { entries: [...entries, ...entries.map((entry) => ({ ...entry, entry_id: "again", run_id: "again" }))] };
}

/** Has the thread be that of a call by hand, with another run on it. */
function calledTwice(history: History): History {
  const ask = {
    op: "call_tool",
    agent: "chaos",
    tool: "charge",
    arguments: {},
    thread_id: "t",
    idempotency_key: "k",
  } as const;
  const again = inThread(({ runs }) => ({ runs: [...runs, ...runs] }))(history);
  return witnessing({ at: 1, type: "asked", request: 99, worker: "w", ask })(again);
}

/** Has a question be about a call with other arguments. */
function askedAbout(event: EventOf<"tool_call_done">, arguments_: Json): AgentEvent {
  const { suspended } = event.data;
  if (suspended === undefined) return event;
  const pending = { ...suspended.ticket.pending, arguments: arguments_ };
  return { ...event, data: { ...event.data, suspended: { ...suspended, ticket: { ...suspended.ticket, pending } } } };
}

/** Has every question be asked again. */
function askedAgain(history: History): History {
  return inRun(({ segments }) => ({
    segments: segments.map((segment) => ({
      ...segment,
      events: segment.events.flatMap((event) =>
        event.type === "tool_call_done" && event.data.suspended !== undefined ? [event, event] : [event],
      ),
    })),
  }))(history);
}

/** Has the reader be told after some event that there is nothing more. */
function stoppedAfter(seq: number): Change {
  return (history) => {
    const last = history.witness.findIndex((record) => record.type === "event" && record.event.seq === seq);
    const closed: WitnessRecord = { at: 1, type: "stream_closed", stream: 1, reason: "nothing more" };
    return { ...history, witness: history.witness.toSpliced(last + 1, 0, closed) };
  };
}

/** Has every run be verified with the same outcome. */
function verifiedAs(outcome: Outcome): Change {
  return (history) => ({
    ...history,
    verifications: history.verifications.map(({ run_id }): Verification => ({ run_id, ...outcome })),
  });
}

/** Has the run wait for an answer that nobody may give any more. */
function everWaiting(history: History): History {
  const waiting = inRunRow({ status: "waiting" })(history);
  return inCalls("pay", { status: "suspended", expires_at: 1 })(waiting);
}

function lastSeq({ threads }: History): number {
  return threads[0]?.runs[0]?.run.last_seq ?? 0;
}

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
  const ask = { op: "cancel", run_id: "t-r6408", reason: "" } as const;
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

/** A cancellation of the run at the top that was acknowledged before anything happened. */
const CANCELLED: readonly WitnessRecord[] = [
  { at: 1, type: "asked", request: 99, worker: "w", ask: { op: "cancel", run_id: TREE_SCRIPT, reason: "" } },
  { at: 2, type: "answered", request: 99, answer: null },
];

/** The scripts that runs below others play. */
function scriptsBelow({ threads }: History): readonly string[] {
  const said = threads.flatMap(({ messages }) => messages.slice(0, 1)).map(textOf);
  return said.flatMap((text) => scriptNamed(text) ?? []).filter((script) => script !== TREE_SCRIPT);
}

const TREE_CASES: readonly Case[] = [
  [
    "a result that the run below never gave",
    /was told/,
    inDecisions({ result: { status: "completed", output: "no" } }),
  ],
  ["a call that did not wait", /did not wait/, inRun(() => ({ decisions: [] }))],
  ["an answer of a run that is not over", /it is not over/, inRunRow({ status: "running" })],
  [
    "a run in the background that nobody heard of",
    /never told/,
    inThread(({ entries }) => ({ entries: entries.filter(({ run_id }) => !run_id.endsWith("-completion")) })),
  ],
  [
    "a run in the background that told its end twice",
    /notice 2 times/,
    inThread(({ entries }) => ({
      entries: [...entries, ...entries.filter(({ run_id }) => run_id.endsWith("-completion"))],
    })),
  ],
  [
    "a request below a run whose cancellation was acknowledged",
    /after the cancellation was acknowledged/,
    (history) => ({
      ...witnessing(...CANCELLED)(history),
      arrivals: scriptsBelow(history).map((script) => ({ at: 10_000, script })),
    }),
  ],
];

describe("I11 notices", () => {
  let tree: History;
  beforeAll(async () => {
    tree = await recordHistory(TREE_SCRIPT);
  });

  it("nothing in a tree that is sound", () => {
    expect(checkHistory(tree)).toEqual([]);
    expect(tree.threads).toHaveLength(3);
  });

  it.each(TREE_CASES)("%s", (_what, says, change) => {
    const violations = checkHistory(change(tree)).filter(({ invariant }) => invariant === "I11");
    expect(violations.map(({ message }) => message)).toContainEqual(expect.stringMatching(says));
  });
});

/** Has a node say its end in another way, or not at all, or more than once. */
function inEnd(node: string, change: (event: EventOf<"node_end">) => readonly AgentEvent[]): Change {
  return inRun(({ segments }) => ({
    segments: segments.map((segment) => ({
      ...segment,
      events: segment.events.flatMap((event) =>
        event.type === "node_end" && event.data.node_id === node ? change(event) : [event],
      ),
    })),
  }));
}

/** Has every event that fits be told twice. */
function twice(isMeant: (event: AgentEvent) => boolean): Change {
  return inRun(({ segments }) => ({
    segments: segments.map((segment) => ({
      ...segment,
      events: segment.events.flatMap((event) => (isMeant(event) ? [event, event] : [event])),
    })),
  }));
}

const LATER = 1_000;

const FLOW_CASES: readonly Case[] = [
  ["a node that ended twice", /Node join ended 2 times/, inEnd("join", (event) => [event, event])],
  ["a workflow that began twice", /began 2 times/, twice(({ type }) => type === "workflow_start")],
  [
    "a node that was executed again by a later owner",
    /Node record used post under epoch 1000/,
    inFirstEffect("post", (effect) => [effect, { ...effect, node: "record", epoch: LATER }]),
  ],
  [
    "a model that was asked again by a later owner",
    /Node left used its model under epoch 1000/,
    (history) => ({ ...history, models: history.models.map((line) => ({ ...line, epoch: LATER })) }),
  ],
  [
    "a node that was executed again by the same owner",
    /ms after somebody saw its end/,
    inFirstEffect("post", (effect) => [effect, { ...effect, started_at: Date.now() + LATER }]),
  ],
  [
    "a node that began before the end of the one before was committed",
    /before the end of join was committed/,
    inFirstEffect("debit", (effect) => [effect, { ...effect, node: "pay", epoch: -1 }]),
  ],
  [
    "an item that began before the nodes before its fan-out were over",
    /Node map\[0\].entry used debit under epoch -1, before the end of offer/,
    inFirstEffect("debit", (effect) => [effect, { ...effect, node: "map[0].entry", epoch: -1 }]),
  ],
  [
    "a tool that took effect twice and may not",
    /of debit took effect 2 times; at most 1/,
    inFirstEffect("debit", (effect) => [effect, effect]),
  ],
  [
    "an effect under another key",
    /took effect under the key other/,
    inFirstEffect("post", (effect) => [effect, { ...effect, key: "other" }]),
  ],
  [
    "an attempt that nobody began",
    /is of attempt 2, which was never begun/,
    inEvents((event) => (event.type === "node_retry" ? { ...event, data: { ...event.data, attempt: 3 } } : event)),
  ],
  [
    "a completed node without an effect",
    /Node pay was completed and its tool never took effect/,
    (history) => ({ ...history, effects: history.effects.filter(({ node }) => node !== "pay") }),
  ],
  [
    "a sleep that began twice",
    /Node nap began to wait 2 times/,
    twice((event) => event.type === "node_wait" && event.data.node_id === "nap"),
  ],
  [
    "a gate that was resumed twice",
    /Node gate waited 1 times and was resumed 2 times/,
    twice((event) => event.type === "node_resume" && event.data.node_id === "gate"),
  ],
  [
    "a gate that was decided twice",
    /Gate gate was decided 2 times/,
    inRun(({ decisions }) => ({ decisions: [...decisions, ...decisions] })),
  ],
  ["a gate that nobody decided", /came to approved and nobody decided/, inRun(() => ({ decisions: [] }))],
  ["a gate that came to something else", /decided as rejected and came to approved/, inDecisions({ action: "cancel" })],
  ["a run that left a node out", /node map\[1\].item never ended/, inEnd("map[1].item", () => [])],
  [
    "a run with another answer",
    /not the output of its last node/,
    inMessages((messages) => messages.map((said) => (said.role === "assistant" ? { ...said, content: "[]" } : said))),
  ],
  [
    "a tool that an owner called who was replaced",
    /when a later one was already at work/,
    (history) => ({
      ...history,
      claims: [{ kind: "claim", thread_id: "flow0-0", epoch: LATER, worker: "w", incarnation: 2, number: 0, at: 0 }],
    }),
  ],
];

describe("I12 notices", () => {
  let flow: History;
  beforeAll(async () => {
    flow = await recordHistory(FLOW_RUN);
  });

  it("nothing in a workflow run that is sound", () => {
    expect(checkHistory(flow)).toEqual([]);
    const tools = flow.effects.map(({ tool }) => tool);
    expect(tools).toEqual(expect.arrayContaining(["post", "debit", "balk"]));
    expect(flow.models.length).toBeGreaterThan(4);
  });

  it("a schedule that fired twice at once, or left a time out", () => {
    const [run] = flow.threads;
    const threads = ["00", "03", "09"].flatMap((second) => {
      const thread_id = `schedule:tick:2026-11-18T12:00:${second}.000Z`;
      return run === undefined ? [] : [{ ...run, thread: { ...run.thread, thread_id } }];
    });
    const again = threads.map((thread, place) =>
      place === 0 ? { ...thread, runs: [...thread.runs, ...thread.runs] } : thread,
    );
    expect(findWrongSchedules({ ...flow, threads: threads.slice(0, 2) })).toEqual([]);
    expect(findWrongSchedules({ ...flow, threads: again }).map(({ message }) => message)).toEqual([
      "The schedule fired 2 times at once.",
      "The schedule did not fire at 2026-11-18T12:00:06.000Z.",
    ]);
  });

  it.each(FLOW_CASES)("%s", (_what, says, change) => {
    const violations = checkHistory(change(flow)).filter(({ invariant }) => invariant === "I12");
    expect(violations.map(({ message }) => message)).toContainEqual(expect.stringMatching(says));
  });
});

describe.each(Object.entries(CASES))("%s notices", (invariant, cases) => {
  it.each(cases)("%s", (_what, says, change) => {
    const violations = checkHistory(change(sound)).filter((violation) => violation.invariant === invariant);
    expect(violations.map(({ message }) => message)).toContainEqual(expect.stringMatching(says));
  });
});
