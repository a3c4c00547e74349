import type { AgentEvent, ToolCallRecord } from "@reprise/contracts";
import type { Json } from "@reprise/state";
import { encodeSseFrame } from "../sse/sse-frame.ts";
import type { AgUiEvent, AgUiVersion } from "./ag-ui-event.ts";
import type { AgUiMessage } from "./ag-ui-message.ts";
import { type AgUiClient, encodeAgUiEvent, finishStream, outcomeOf } from "./encode-event.ts";
import { type AgUiPhase, type AgUiState, INITIAL_AG_UI_STATE } from "./encoder-state.ts";
import { waitsOf } from "./interrupts.ts";

/** What a client is shown before the events of its run. */
export interface AgUiOpening {
  readonly messages?: readonly AgUiMessage[];
  readonly state?: Json;
}

export interface AgUiEncoderOptions extends AgUiClient {
  /** Continues from the memory of another encoder of the run. */
  readonly state?: AgUiState;
}

/** Writes one run as a response. One encoder is one response, or the replay of a whole run. */
export interface AgUiEncoder {
  /** The frames of an event, joined; empty when a client gets nothing of it. The cursor is the id of the last one. */
  encode(event: AgentEvent, cursor?: string): string;
  /** Takes an event in that the client already has. */
  skip(event: AgentEvent): void;
  /** Shows messages and state right behind the next `RUN_STARTED`. */
  open(opening: AgUiOpening): void;
  /** Shows the messages of the thread right before the next `RUN_FINISHED` or `RUN_ERROR`: what was withdrawn is not among them. */
  amend(messages: readonly AgUiMessage[]): void;
  /** The rest of the stream when no more events come. */
  end(): string;
  readonly phase: AgUiPhase;
  readonly state: AgUiState;
}

/** The headers of a response. The stream has no trailer: clients read every frame as an event. */
export const AG_UI_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-store, no-transform",
  "x-accel-buffering": "no",
};

export function createAgUiEncoder({ state, ...client }: AgUiEncoderOptions = {}): AgUiEncoder {
  let current = state ?? INITIAL_AG_UI_STATE;
  let opening: readonly AgUiEvent[] = [];
  let amended: readonly AgUiEvent[] = [];
  const withOpening = (events: readonly AgUiEvent[]): readonly AgUiEvent[] => {
    const [first, ...rest] = events;
    if (opening.length === 0 || first?.type !== "RUN_STARTED") return events;
    const shown = [first, ...opening, ...rest];
    opening = [];
    return shown;
  };
  const withAmendment = (events: readonly AgUiEvent[]): readonly AgUiEvent[] => {
    const last = events.at(-1);
    if (amended.length === 0 || (last?.type !== "RUN_FINISHED" && last?.type !== "RUN_ERROR")) return events;
    const shown = [...events.slice(0, -1), ...amended, last];
    amended = [];
    return shown;
  };
  return {
    encode(event, cursor) {
      const [next, events] = encodeAgUiEvent(current, event, client);
      current = next;
      // An event that withdraws others has no place in the stream to come back to.
      return framesOf(withAmendment(withOpening(events)), event.type === "stream_reset" ? undefined : cursor);
    },
    skip(event) {
      [current] = encodeAgUiEvent(current, event, client);
    },
    open(shown) {
      opening = openingEvents(shown);
    },
    amend(messages) {
      amended = openingEvents({ messages });
    },
    end() {
      const [next, events] = finishStream(current, client.version);
      current = next;
      return framesOf(events);
    },
    get phase() {
      return current.phase;
    },
    get state() {
      return current;
    },
  };
}

/** A thread that no run works on. */
export interface RestingThread extends AgUiOpening {
  readonly thread_id: string;
  /** The run that the client is told of: its latest one. */
  readonly run_id: string;
  /** The calls of the thread that wait. */
  readonly calls: readonly ToolCallRecord[];
}

/** The thread as one whole run: its messages, its state, and what it waits for. */
export function encodeAgUiThread(
  { thread_id, run_id, calls, ...opening }: RestingThread,
  version: AgUiVersion,
): string {
  const waiting = Object.fromEntries(waitsOf(calls).map(([id, waits]) => [id, { waits }]));
  const outcome = outcomeOf(waiting, version) ?? { type: "success" };
  const started: AgUiEvent = {
    type: "RUN_STARTED",
    threadId: thread_id,
    runId: run_id,
    ...(version !== "0" && { protocolVersion: "1.0" }),
  };
  const finished: AgUiEvent = { type: "RUN_FINISHED", threadId: thread_id, runId: run_id, outcome };
  return framesOf([started, ...openingEvents(opening), finished]);
}

/** `MESSAGES_SNAPSHOT` and `STATE_SNAPSHOT`, as far as there is something to show. */
function openingEvents({ messages, state }: AgUiOpening): readonly AgUiEvent[] {
  return [
    ...(messages === undefined ? [] : [{ type: "MESSAGES_SNAPSHOT", messages } as const]),
    ...(state === undefined ? [] : [{ type: "STATE_SNAPSHOT", snapshot: state } as const]),
  ];
}

/** Only the last frame of an event says that it is over: a client that comes back in between gets all of it again. */
function framesOf(events: readonly AgUiEvent[], cursor?: string): string {
  const last = events.length - 1;
  let text = "";
  for (let index = 0; index <= last; index += 1) {
    text += encodeSseFrame(JSON.stringify(events[index]), index === last ? cursor : undefined);
  }
  return text;
}
