import type { AgentEvent } from "@reprise/contracts";
import { createParser } from "eventsource-parser";

/** An event, and the cursor to read on from after it. */
export interface FollowedEvent {
  readonly event: AgentEvent;
  /** Absent for an event that withdraws others: it has no place in the log. */
  readonly cursor?: string;
}

export interface FollowOptions {
  /** The cursor of the last event that is known. */
  readonly after?: string;
  /** Stay while the run waits for decisions. */
  readonly follow?: boolean;
  readonly signal?: AbortSignal;
}

type Open = (path: string, init: RequestInit) => Promise<Response>;

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 10_000;

/** Reads the events of a run, and comes back whenever the connection is lost. */
export async function* followEvents(
  open: Open,
  runId: string,
  { after, follow = false, signal }: FollowOptions,
): AsyncGenerator<FollowedEvent, void> {
  const path = `/v1/runs/${encodeURIComponent(runId)}/events${follow ? "?follow=true" : ""}`;
  let known = after;
  let pause = FIRST_PAUSE_MS;
  const isStopped = (): boolean => signal?.aborted === true;
  while (!isStopped()) {
    try {
      const headers = { accept: "text/event-stream", ...(known !== undefined && { "last-event-id": known }) };
      const response = await open(path, { headers, ...(signal !== undefined && { signal }) });
      // There is nothing after the known event.
      if (response.status === 204) return;
      for await (const read of parseStream(response)) {
        known = read.cursor ?? known;
        pause = FIRST_PAUSE_MS;
        yield read;
        if (isEnd(read.event, follow)) return;
      }
    } catch (error) {
      // An answer is an answer, unless the server is in trouble. All else is a connection.
      if (isStopped()) return;
      const status = error instanceof Error && "status" in error ? Number(error.status) : 503;
      if (status < 500 && status !== 429) throw error;
    }
    await sleep(pause, signal);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}

/** Reads a response that is being sent, and whatever `rest` has after it when it breaks off. */
export async function* readStream(
  response: Response,
  rest: (after?: string) => AsyncIterable<FollowedEvent>,
): AsyncGenerator<FollowedEvent, void> {
  let known: string | undefined;
  try {
    for await (const read of parseStream(response)) {
      known = read.cursor ?? known;
      yield read;
      if (isEnd(read.event, false)) return;
    }
  } catch {
    // The connection is lost; the run is not.
  }
  yield* rest(known);
}

/** Whether a reader that stays has seen everything. One that does not stay has, where the run waits for a person. */
function isEnd(event: AgentEvent, follow: boolean): boolean {
  if (event.type !== "run_finish") return false;
  return event.data.termination.type !== "suspended" || !follow;
}

async function* parseStream({ body }: Response): AsyncGenerator<FollowedEvent, void> {
  if (body === null) return;
  let ready: FollowedEvent[] = [];
  const parser = createParser({
    onEvent: ({ data, id }) => {
      // The server wrote it.
      const event: AgentEvent = JSON.parse(data);
      ready.push(id === undefined ? { event } : { event, cursor: id });
    },
  });
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      parser.feed(value);
      const events = ready;
      ready = [];
      yield* events;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
