import { type AgentEvent, type Changeset, invalidRequest, type Message } from "@reprise/contracts";
import { compactJson } from "./compact-json.ts";
import { sealMessage } from "./message-codec.ts";
import { textsOf } from "./message-texts.ts";
import type { SealedChangeset, SealedSegment } from "./sealed-changeset.ts";
import { sealSegment } from "./segment-codec.ts";

/** The parts of a changeset that have columns or rows of their own. */
type OwnRows = "format" | "changeset_id" | "thread_id" | "run_id" | "messages" | "patches" | "events";

/** The rest of it. Whatever a changeset may hold one day is in here without anybody doing anything. */
export interface ChangesetBody extends Omit<Changeset, OwnRows> {
  /** In which order the events of several runs came: the number of a run's segment, and how many events of it. */
  readonly turns: readonly (readonly [segment: number, count: number])[];
}

/** Writes a changeset for storing. Refuses events with a gap inside: no store could file them. */
export function sealChangeset(changeset: Changeset): SealedChangeset {
  const { run_id } = changeset;
  const texts = textsOf(changeset.messages);
  const byRun = groupByRun(changeset.events);
  return {
    changeset_id: changeset.changeset_id,
    thread_id: changeset.thread_id,
    run_id,
    supersedes: changeset.supersedes,
    consumed_decisions: changeset.consumed_decisions,
    mailbox_effects: changeset.mailbox_effects,
    messages: changeset.messages.map((message: Message) => sealMessage(message, run_id)),
    runs: changeset.runs,
    calls: changeset.calls,
    segments: [...byRun].map(([runId, events]) => sealEvents(runId, events, changeset.thread_id, texts)),
    wakes: changeset.wakes ?? [],
    patches: changeset.patches.length === 0 ? "" : compactJson(changeset.patches, { run_id, texts: [] }),
    body: compactJson(bodyOf(changeset, [...byRun.keys()]), { run_id, thread_id: changeset.thread_id, texts }),
  };
}

function sealEvents(
  runId: string,
  events: readonly AgentEvent[],
  threadId: string,
  texts: readonly string[],
): SealedSegment {
  const first = events[0]?.seq ?? 0;
  for (const [index, { seq }] of events.entries()) {
    if (seq !== first + index) {
      throw invalidRequest(`Cannot store event ${seq} of run ${runId}: the last is ${first + index - 1}.`);
    }
  }
  const frame = { run_id: runId, thread_id: threadId, first_seq: first, texts };
  return { run_id: runId, first_seq: first, last_seq: first + events.length - 1, body: sealSegment(events, frame) };
}

/** The events of a changeset by run; one that supersedes another run also brings that run's end. */
function groupByRun(events: readonly AgentEvent[]): ReadonlyMap<string, readonly AgentEvent[]> {
  const first = events[0]?.run_id;
  if (first === undefined) return new Map();
  if (events.every(({ run_id }) => run_id === first)) return new Map([[first, events]]);
  return Map.groupBy(events, ({ run_id }) => run_id);
}

/** Lists that every changeset has are left out when they are empty: most changesets have mostly those. */
function bodyOf(changeset: Changeset, runIds: readonly string[]): Partial<ChangesetBody> {
  const { format: _, changeset_id: _id, thread_id: _thread, run_id: _run, ...others } = changeset;
  const { messages: _messages, patches: _patches, events, ...rest } = others;
  const turns = runIds.length < 2 ? [] : turnsOf(events, runIds);
  const parts: Partial<Record<string, unknown>> = { ...rest, turns };
  for (const name of COMMON_LISTS) if (parts[name] === undefined || isEmpty(parts[name])) delete parts[name];
  return parts;
}

/** The lists that a changeset has even when they are empty. */
export const COMMON_LISTS = [
  "reasons",
  "supersedes",
  "actions",
  "runs",
  "calls",
  "consumed_decisions",
  "mailbox_effects",
  "blob_refs",
  "turns",
] as const;

function isEmpty(part: unknown): boolean {
  return Array.isArray(part) && part.length === 0;
}

function turnsOf(events: readonly AgentEvent[], runIds: readonly string[]): ChangesetBody["turns"] {
  const turns: [number, number][] = [];
  for (const { run_id } of events) {
    const segment = runIds.indexOf(run_id);
    const last = turns.at(-1);
    if (last?.[0] === segment) last[1] += 1;
    else turns.push([segment, 1]);
  }
  return turns;
}
