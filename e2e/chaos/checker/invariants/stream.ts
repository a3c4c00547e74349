import { type AgentEvent, type EventType, parseCursor } from "@reprise/contracts";
import { NOTHING_MORE } from "../../witness/transport.ts";
import type { WitnessRecord } from "../../witness/witness-record.ts";
import type { History, RunHistory, Violation } from "../history.ts";
import { eventsOf, type HistoryIndex, indexHistory } from "../index-history.ts";
import { isSameJson } from "../same-json.ts";
import { StreamView } from "../stream-view.ts";

/** Events that say something is durable: nobody may see one before it is. */
const COMMITTED: readonly EventType[] = [
  "step_end",
  "inference_complete",
  "tool_call_done",
  "tool_call_resumed",
  "tool_call_cancelled",
  "state_delta",
  "node_end",
  "node_retry",
  "node_wait",
  "node_resume",
  "run_finish",
  "error",
];

/** I8: what a reader has, over all breaks of its streams, is what is stored; and it reads the same again from anywhere. */
export function findBrokenStreams(history: History): readonly Violation[] {
  const index = indexHistory(history);
  return [
    ...index.runs.values().flatMap(({ run, ...rest }) =>
      eventsOf(rest)
        .filter(({ seq }, place) => seq !== place + 1)
        .map(({ seq }) => violation(run.run_id, `Its stored events are not numbered from 1 on: ${seq}.`)),
    ),
    ...checkReaders(history, index),
    ...history.replays.flatMap(({ run_id, after, records }) => checkReplay(index, run_id, after, records)),
  ];
}

function violation(run_id: string, message: string): Violation {
  return { invariant: "I8", run_id, message };
}

/** A reader follows one run, over any number of streams. */
function checkReaders({ witness }: History, index: HistoryIndex): readonly Violation[] {
  const views = new Map<string, StreamView>();
  const readers = new Map<number, string>();
  const violations: Violation[] = [];
  for (const record of witness) {
    if (record.type === "stream_opened") {
      readers.set(record.stream, record.run_id);
      const view = views.get(record.run_id) ?? new StreamView();
      views.set(record.run_id, view);
      const problem = view.open(record.after);
      if (problem !== undefined) violations.push(violation(record.run_id, problem));
    }
    if (record.type === "stream_closed" && record.reason === NOTHING_MORE) {
      const reader = readers.get(record.stream) ?? "";
      const problem = findUnheardEnd(views.get(reader));
      if (problem !== undefined) violations.push(violation(reader, problem));
    }
    if (record.type !== "event") continue;
    const reader = readers.get(record.stream) ?? "";
    const problem = views.get(reader)?.take(record.event) ?? findUncommitted(index, record.event, record.cursor);
    if (problem !== undefined) violations.push(violation(reader, problem));
  }
  for (const [reader, view] of views) violations.push(...compareEnd(index, reader, view));
  return violations;
}

/** A reader that is told that there is nothing more has to know how the run ended. */
function findUnheardEnd(view: StreamView | undefined): string | undefined {
  const last = view?.events.at(-1);
  if (last?.type === "run_finish" && last.data.termination.type !== "suspended") return undefined;
  return `A reader was told that there is nothing more after event ${last?.seq ?? 0} (${last?.type}), and never heard of the end.`;
}

/** An event that says "committed" has to be in the store, under the number and the epoch it was shown with. */
function findUncommitted(index: HistoryIndex, event: AgentEvent, cursor: string): string | undefined {
  if (!COMMITTED.includes(event.type)) return undefined;
  const { seq = 0, type, run_id } = event;
  const segment = index.runs.get(run_id)?.segments.find(({ events }) => events.some((item) => item.seq === seq));
  const stored = segment?.events.find((item) => item.seq === seq);
  if (!isSameJson(stored, event)) return `Event ${seq} (${type}) was shown and is not stored so.`;
  if (parseCursor(cursor)?.epoch === segment?.epoch) return undefined;
  return `Event ${seq} (${type}) was shown as ${cursor} and is stored with epoch ${segment?.epoch}.`;
}

/** A reader that saw a run's end has exactly what is stored. */
function compareEnd(index: HistoryIndex, reader: string, { events }: StreamView): readonly Violation[] {
  const last = events.at(-1);
  if (last?.type !== "run_finish") return [];
  const run = index.runs.get(last.run_id);
  const stored = run === undefined ? [] : eventsOf(run);
  const differs = events.findIndex((event, place) => !isSameJson(event, stored[place]));
  if (differs >= 0) return [violation(reader, `A reader has another event ${differs + 1} than the store.`)];
  if (last.data.termination.type === "suspended" || events.length === stored.length) return [];
  return [violation(reader, `A reader has ${events.length} events to the end, the store ${stored.length}.`)];
}

/** Whether what a reader at a cursor has is stored: the event it names is of the owner it names, or of one before. */
function wasCommitted(run: RunHistory | undefined, after: string): boolean {
  const { epoch, seq } = parseCursor(after) ?? { epoch: 0, seq: 0 };
  const owner = run?.segments.find(({ events }) => events.some((event) => event.seq === seq))?.epoch;
  return seq === 0 || (owner !== undefined && owner <= epoch);
}

function checkReplay(
  index: HistoryIndex,
  run_id: string,
  after: string | undefined,
  records: readonly WitnessRecord[],
): readonly Violation[] {
  const run = index.runs.get(run_id);
  const stored = run === undefined ? [] : eventsOf(run);
  const view = new StreamView(stored);
  const problems = [
    view.open(after),
    ...records.map((record) => (record.type === "event" ? view.take(record.event) : undefined)),
  ];
  const told = records.filter((record) => record.type === "event").map(({ event }) => event);
  const first = told.find(({ type }) => type !== "stream_reset")?.seq ?? stored.length + 1;
  const isEqual = isSameJson(
    told.filter(({ type }) => type !== "stream_reset"),
    stored.slice(first - 1),
  );
  if (!isEqual) problems.push(`Read again after ${after}, the events are others.`);
  const isWithdrawn = told.some(({ type }) => type === "stream_reset");
  if (after !== undefined && !isWithdrawn && !wasCommitted(run, after)) {
    problems.push(`Read again after ${after}, which was never committed, nothing was withdrawn.`);
  }
  return problems.filter((problem) => problem !== undefined).map((problem) => violation(run_id, problem));
}
