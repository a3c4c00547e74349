import type { AgentEvent } from "@reprise/contracts";
import { foldSign, readNumbers, unfoldSign, writeNumbers } from "./number-list.ts";

/** The pieces of one text as they came, one after the other. */
export interface DeltaRun {
  readonly type: DeltaType;
  readonly step_id: string | undefined;
  /** The call, for argument deltas. */
  readonly call_id: string | undefined;
  readonly pieces: readonly { readonly text: string; readonly timestamp_ms: number }[];
}

export type DeltaType = keyof typeof DELTA_CODES;

export const DELTA_CODES = { text_delta: "t", reasoning_delta: "r", tool_call_delta: "a" } as const;

/**
 * How a run of deltas is stored: its kind, step and call (null when there is none), where its text is (the number of a shared
 * text and the place in it, or the text itself), and for each piece its length and the milliseconds since the event before.
 */
export type StoredDeltaRun = readonly [
  code: (typeof DELTA_CODES)[DeltaType],
  step: string | null,
  call: string | null,
  source: number | string,
  from: number,
  pieces: string,
];

/** The piece of text in an event, if the event is a delta and has nothing but what a delta has. */
export function pieceOf(event: AgentEvent): DeltaRun | undefined {
  const { type, step_id, timestamp_ms } = event;
  if (type !== "text_delta" && type !== "reasoning_delta" && type !== "tool_call_delta") return undefined;
  if (!isWholeTime(timestamp_ms) || Object.keys(event).length !== (step_id === undefined ? 6 : 7)) {
    return undefined;
  }
  const isCall = type === "tool_call_delta";
  const text = isCall ? event.data.args_delta : event.data.delta;
  if (typeof text !== "string" || Object.keys(event.data).length !== (isCall ? 2 : 1)) return undefined;
  const call_id = isCall ? event.data.id : undefined;
  return { type, step_id, call_id, pieces: [{ text, timestamp_ms }] };
}

/** Whether a time can be told by its distance from another one without losing anything. */
export function isWholeTime(timestampMs: number): boolean {
  return Number.isSafeInteger(timestampMs) && Math.abs(timestampMs) < 2 ** 50;
}

/** Whether a piece goes on with the run before it. */
export function continues(run: DeltaRun, piece: DeltaRun): boolean {
  return run.type === piece.type && run.step_id === piece.step_id && run.call_id === piece.call_id;
}

/** Stores a run whose text was found in a shared one, or was not. */
export function storeDeltaRun(
  { type, step_id, call_id, pieces }: DeltaRun,
  place: { readonly source: number | string; readonly from: number },
  before: number,
): StoredDeltaRun {
  let last = before;
  const numbers: number[] = [];
  for (const { text, timestamp_ms } of pieces) {
    numbers.push(text.length, foldSign(timestamp_ms - last));
    last = timestamp_ms;
  }
  return [DELTA_CODES[type], step_id ?? null, call_id ?? null, place.source, place.from, writeNumbers(numbers)];
}

/** What a stored run says about each of its events. */
export interface OpenedDelta {
  readonly type: DeltaType;
  readonly sinceLast: number;
  readonly step_id?: string;
  readonly data: object;
}

export function* openDeltaRun(
  [code, step, call, source, from, pieces]: StoredDeltaRun,
  texts: readonly string[],
): Iterable<OpenedDelta & { readonly [key: string]: unknown }> {
  const text = typeof source === "number" ? (texts[source] ?? "") : source;
  const numbers = readNumbers(pieces);
  const place = step === null ? {} : { step_id: step };
  let start = from;
  for (let index = 0; index < numbers.length; index += 2) {
    const end = start + (numbers[index] ?? 0);
    const delta = text.slice(start, end);
    const data = code === "a" ? { id: call ?? "", args_delta: delta } : { delta };
    yield { type: TYPES[code], sinceLast: unfoldSign(numbers[index + 1] ?? 0), ...place, data };
    start = end;
  }
}

const TYPES = { t: "text_delta", r: "reasoning_delta", a: "tool_call_delta" } as const;
