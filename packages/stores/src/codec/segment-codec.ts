import type { AgentEvent } from "@reprise/contracts";
import { type CompactContext, compactJson, expandJson } from "./compact-json.ts";
import {
  continues,
  type DeltaRun,
  isWholeTime,
  openDeltaRun,
  pieceOf,
  type StoredDeltaRun,
  storeDeltaRun,
} from "./delta-run.ts";

/** One stored item: a run of deltas, or the milliseconds since the event before and the rest of an event. */
type StoredItem = StoredDeltaRun | readonly [sinceLast: number, rest: EventRest];

/** What all events of a segment have in common, kept beside it. */
export interface SegmentFrame extends CompactContext {
  readonly run_id: string;
  readonly thread_id: string;
  readonly first_seq: number;
}

/**
 * Writes the events of one run in one commit. Their `seq`s follow from the first; deltas become lengths and times into the
 * texts of the commit's messages, or into their own text where it is not there, as after a turn that was begun again.
 */
export function sealSegment(events: readonly AgentEvent[], frame: SegmentFrame): string {
  const places = new TextPlaces(frame.texts);
  const items: StoredItem[] = [];
  let last = 0;
  for (const group of groupDeltas(events, frame.thread_id)) {
    if ("pieces" in group) {
      items.push(storeDeltaRun(group, places.find(group), last));
      last = group.pieces.at(-1)?.timestamp_ms ?? last;
    } else {
      const time = isWholeTime(group.timestamp_ms) ? group.timestamp_ms : last;
      items.push([time - last, restOf(group, frame)]);
      last = time;
    }
  }
  return compactJson(items, frame);
}

/** The very events that were sealed. */
export function openSegment(text: string, frame: SegmentFrame): readonly AgentEvent[] {
  // Written by `sealSegment`, and the checksum says that it is as it was written.
  const items = expandJson("segment", text, frame) as StoredItem[];
  const events: AgentEvent[] = [];
  let last = 0;
  const add = ({ type, ...rest }: EventRest): void => {
    const seq = frame.first_seq + events.length;
    // In the order in which events are made, so that a replayed one is the same text as the first time. Together they are
    // what `restOf` or `pieceOf` took apart.
    const { run_id, thread_id } = frame;
    events.push({ type, run_id, thread_id, seq, timestamp_ms: last, ...rest } as AgentEvent);
  };
  for (const item of items) {
    if (!isDeltaRun(item)) {
      last += item[0];
      add(item[1]);
      continue;
    }
    for (const { sinceLast, ...event } of openDeltaRun(item, frame.texts)) {
      last += sinceLast;
      add(event);
    }
  }
  return events;
}

type EventRest = Pick<AgentEvent, "type"> & { readonly [key: string]: unknown };

function isDeltaRun(item: StoredItem): item is StoredDeltaRun {
  return typeof item[0] === "string";
}

/** An event without what its place in the segment says. */
function restOf(event: AgentEvent, frame: SegmentFrame): EventRest {
  const { run_id: _, seq: _seq, timestamp_ms, thread_id, ...rest } = event;
  return {
    ...rest,
    ...(thread_id === frame.thread_id ? {} : { thread_id }),
    ...(isWholeTime(timestamp_ms) ? {} : { timestamp_ms }),
  };
}

function* groupDeltas(events: readonly AgentEvent[], threadId: string): Iterable<AgentEvent | DeltaRun> {
  let run: DeltaRun | undefined;
  let pieces: DeltaRun["pieces"][number][] = [];
  for (const event of events) {
    const piece = event.thread_id === threadId ? pieceOf(event) : undefined;
    if (run !== undefined && piece !== undefined && continues(run, piece)) {
      pieces.push(...piece.pieces);
      continue;
    }
    if (run !== undefined) yield run;
    pieces = [...(piece?.pieces ?? [])];
    run = piece === undefined ? undefined : { ...piece, pieces };
    if (piece === undefined) yield event;
  }
  if (run !== undefined) yield run;
}

/** Finds where in the shared texts a run of deltas goes on. */
class TextPlaces {
  readonly #texts: readonly string[];
  /** How far each text has been told. */
  readonly #told: number[];

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    this.#told = texts.map(() => 0);
  }

  find({ pieces }: DeltaRun): { readonly source: number | string; readonly from: number } {
    const text = pieces.map((piece) => piece.text).join("");
    const source =
      text === "" ? -1 : this.#texts.findIndex((known, index) => known.startsWith(text, this.#told[index]));
    if (source < 0) return { source: text, from: 0 };
    const from = this.#told[source] ?? 0;
    this.#told[source] = from + text.length;
    return { source, from };
  }
}
