import type { AgentEvent } from "../event/event.ts";

/** The fields that all events of a commit share. Stored events omit the ids that their commit has. */
export interface EventFrame {
  readonly run_id: string | null;
  readonly thread_id: string;
  /** The texts of the commit's messages, as `textsOf` lists them: streamed text is stored there and not again with its deltas. */
  readonly texts: readonly string[];
}

/**
 * A run of deltas of one kind, stored as one item: `text` holds their whole text, or `source` is the number of the message text
 * it is found in, from the character `from` on. `lengths` and `ms` say how long each piece was and how many milliseconds after
 * the piece before it was shown.
 */
interface PackedDeltas {
  readonly source?: number;
  readonly from?: number;
  readonly text?: string;
  readonly lengths: readonly number[];
  readonly ms: readonly number[];
  /** The call, for deltas of arguments. */
  readonly id?: string;
}

/** An event as it is stored: without the ids of its frame, or a run of deltas that begins with this `seq`. */
type StoredEvent = Readonly<Record<string, unknown>> & { readonly deltas?: PackedDeltas };

interface DeltaRun {
  readonly first: DeltaEvent;
  readonly pieces: string[];
  readonly times: number[];
}

type DeltaEvent = Extract<AgentEvent, { type: "text_delta" | "reasoning_delta" | "tool_call_delta" }>;

/** Writes the events of a commit as JSON that a person can read. */
export function writeEvents(events: readonly AgentEvent[], frame: EventFrame): string {
  const positions = new TextPositions(frame.texts);
  const stored: StoredEvent[] = [];
  let run: DeltaRun | undefined;
  const close = (): void => {
    if (run !== undefined) stored.push(packDeltas(run, positions, frame));
    run = undefined;
  };
  for (const event of events) {
    const text = pieceOf(event);
    if (text !== undefined && run !== undefined && continues(run, event as DeltaEvent)) {
      run.pieces.push(text);
      run.times.push(event.timestamp_ms);
      continue;
    }
    close();
    // `pieceOf` gives a text for deltas only.
    if (text !== undefined) run = { first: event as DeltaEvent, pieces: [text], times: [event.timestamp_ms] };
    else stored.push(withoutIds(event, frame));
  }
  close();
  return JSON.stringify(stored);
}

/** The very events that were sealed, with their keys in the order in which events are made. */
export function readEvents(stored: unknown, frame: EventFrame): readonly AgentEvent[] {
  const events: AgentEvent[] = [];
  // Written by `writeEvents`; the checksum says that it is unchanged.
  for (const { type, run_id = frame.run_id, thread_id = frame.thread_id, ...rest } of stored as StoredEvent[]) {
    const { deltas } = rest;
    if (deltas === undefined) {
      events.push({ type, run_id, thread_id, ...rest } as unknown as AgentEvent);
      continue;
    }
    const { seq, timestamp_ms, step_id } = rest as unknown as DeltaEvent;
    const text = deltas.text ?? frame.texts[deltas.source ?? -1] ?? "";
    let start = deltas.from ?? 0;
    let time = timestamp_ms;
    for (const [index, length] of deltas.lengths.entries()) {
      const delta = text.slice(start, start + length);
      start += length;
      time += deltas.ms[index] ?? 0;
      const data = type === "tool_call_delta" ? { id: deltas.id ?? "", args_delta: delta } : { delta };
      const step = step_id === undefined ? {} : { step_id };
      const numbered = { type, run_id, thread_id, seq: (seq ?? 0) + index, timestamp_ms: time, ...step, data };
      // Together these are what `pieceOf` took apart.
      events.push(numbered as unknown as AgentEvent);
    }
  }
  return events;
}

/** The piece of text in an event, if it is a delta that has nothing but what deltas have. */
function pieceOf(event: AgentEvent): string | undefined {
  const { type, step_id, timestamp_ms, seq } = event;
  if (type !== "text_delta" && type !== "reasoning_delta" && type !== "tool_call_delta") return undefined;
  if (!Number.isSafeInteger(timestamp_ms) || seq === undefined) return undefined;
  if (Object.keys(event).length !== (step_id === undefined ? 6 : 7)) return undefined;
  const isCall = type === "tool_call_delta";
  const text = isCall ? event.data.args_delta : event.data.delta;
  const isPlain = typeof text === "string" && Object.keys(event.data).length === (isCall ? 2 : 1);
  return isPlain && text.isWellFormed() ? text : undefined;
}

function continues({ first, pieces }: DeltaRun, event: DeltaEvent): boolean {
  return (
    first.type === event.type &&
    first.run_id === event.run_id &&
    first.thread_id === event.thread_id &&
    first.step_id === event.step_id &&
    (first.seq ?? 0) + pieces.length === event.seq &&
    callOf(first) === callOf(event)
  );
}

function callOf(event: DeltaEvent): string | undefined {
  return event.type === "tool_call_delta" ? event.data.id : undefined;
}

function packDeltas({ first, pieces, times }: DeltaRun, positions: TextPositions, frame: EventFrame): StoredEvent {
  const { data: _, ...event } = first;
  const id = callOf(first);
  const ms = times.map((time, index) => time - (times[index - 1] ?? first.timestamp_ms));
  const lengths = pieces.map(({ length }) => length);
  const deltas = { ...positions.find(pieces.join("")), lengths, ms, ...(id === undefined ? {} : { id }) };
  return { ...withoutIds(event, frame), deltas };
}

function withoutIds(event: Omit<AgentEvent, "data">, frame: EventFrame): StoredEvent {
  const { type, run_id, thread_id, ...rest } = event;
  // Other runs and threads are named; a commit may bring the end of the run before its own.
  return {
    type,
    ...rest,
    ...(run_id === frame.run_id ? {} : { run_id }),
    ...(thread_id === frame.thread_id ? {} : { thread_id }),
  };
}

/** Finds the text of deltas in the texts of messages, each from where the run of deltas before it ended. */
class TextPositions {
  readonly #texts: readonly string[];
  readonly #told: number[];

  constructor(texts: readonly string[]) {
    this.#texts = texts;
    this.#told = texts.map(() => 0);
  }

  find(text: string): Pick<PackedDeltas, "source" | "from" | "text"> {
    const source =
      text === "" ? -1 : this.#texts.findIndex((known, index) => known.startsWith(text, this.#told[index]));
    if (source < 0) return { text };
    const from = this.#told[source] ?? 0;
    this.#told[source] = from + text.length;
    return from === 0 ? { source } : { source, from };
  }
}
