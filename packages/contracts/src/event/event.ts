import type { EventData, EventType } from "./event-data.ts";

/** One event of the canonical stream, as stored and as sent. `data` is left out when it would be empty. */
export type EventOf<Type extends EventType> = {
  readonly type: Type;
  readonly run_id: string;
  readonly thread_id: string;
  /** Counts up by one over the committed events of a run. `stream_reset` has none. */
  readonly seq?: number;
  readonly timestamp_ms: number;
  readonly step_id?: string;
} & ([keyof EventData[Type]] extends [never]
  ? { readonly data?: EventData[Type] }
  : Record<never, never> extends EventData[Type]
    ? { readonly data?: EventData[Type] }
    : { readonly data: EventData[Type] });

export type AgentEvent = { [Type in EventType]: EventOf<Type> }[EventType];

/** An event of a type this version does not know. Kept as it came, so that it can be passed on. */
export interface OpaqueEvent {
  readonly type: string;
  readonly opaque: true;
  readonly event: { readonly [key: string]: unknown };
}

/** Where in a run's stream a reader is. As text: `run_id:epoch:seq`. */
export interface EventCursor {
  readonly run_id: string;
  readonly epoch: number;
  readonly seq: number;
}

export function formatCursor(cursor: EventCursor): string {
  return `${cursor.run_id}:${cursor.epoch}:${cursor.seq}`;
}

/** Reads a cursor, or returns undefined when the text is none. A run's id may itself hold colons. */
export function parseCursor(text: string): EventCursor | undefined {
  const match = /^(.+):(\d{1,15}):(\d{1,15})$/.exec(text);
  if (match === null) return undefined;
  const [, runId = "", epoch, seq] = match;
  return { run_id: runId, epoch: Number(epoch), seq: Number(seq) };
}
