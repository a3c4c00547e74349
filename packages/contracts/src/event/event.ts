import type { EventData, EventType } from "./event-data.ts";

/** One event of the canonical stream, as stored and as sent. `data` is left out when it would be empty. */
export type EventOf<Type extends EventType> = {
  readonly type: Type;
  readonly run_id: string;
  readonly thread_id: string;
  /** Counts up by one over the committed events of a run. Events that only the reader's own stream makes have none. */
  readonly seq?: number;
  readonly timestamp_ms: number;
  readonly step_id?: string;
  /** Present on an event of a run below, in a stream that brings those too. Never stored. */
  readonly lineage?: EventLineage;
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

/** The place of a run below in its tree. */
export interface EventLineage {
  readonly parent_run_id: string;
  /** The call of the parent that started the run. */
  readonly call_id: string;
  readonly agent_id: string;
  /** How many runs above this one started each other. */
  readonly depth: number;
}

/** Where in a run's stream a reader is. As text: `run_id:epoch:seq`. */
export interface EventCursor {
  readonly run_id: string;
  readonly epoch: number;
  readonly seq: number;
  /** The same for every run below that began and is not read to its end, in a stream that brings those too. As text each follows a slash. */
  readonly below?: readonly EventCursor[];
}

export function formatCursor({ run_id, epoch, seq, below = [] }: EventCursor): string {
  const own = `${run_id}:${epoch}:${seq}`;
  return below.length === 0 ? own : [own, ...below.map(formatCursor)].join(BELOW);
}

/** No id holds one. */
const BELOW = "/";

/** Reads a cursor, or returns undefined when the text is none. A run's id may itself hold colons. */
export function parseCursor(text: string): EventCursor | undefined {
  const [own = "", ...others] = text.split(BELOW);
  const cursor = parseOne(own);
  const below = others.flatMap((other) => parseOne(other) ?? []);
  if (cursor === undefined || below.length < others.length) return undefined;
  return below.length === 0 ? cursor : { ...cursor, below };
}

function parseOne(text: string): EventCursor | undefined {
  const match = /^(.+):(\d{1,15}):(\d{1,15})$/.exec(text);
  if (match === null) return undefined;
  const [, runId = "", epoch, seq] = match;
  return { run_id: runId, epoch: Number(epoch), seq: Number(seq) };
}
