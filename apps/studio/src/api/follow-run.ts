import { ask } from "./connection.ts";
import { type Frame, readFrames } from "./read-frames.ts";

export interface FollowOptions {
  readonly signal: AbortSignal;
  /** The response to the request that started the run, which begins with its first event. */
  readonly first?: Response;
  /** The cursor of the last event that is known. */
  readonly after?: string;
}

/**
 * The events of a run and of the runs below it, until it is over; also while it waits. A stream that breaks off is read on after its
 * last event.
 */
export async function* followRun(runId: string, options: FollowOptions): AsyncGenerator<readonly Frame[]> {
  const { signal } = options;
  let last = options.after;
  for (let response = options.first ?? (await openEvents(runId, last, signal)); response.status !== 204; ) {
    try {
      for await (const frames of readFrames(response)) {
        last = frames.findLast(({ id }) => id !== undefined)?.id ?? last;
        yield frames;
        if (frames.some(isEnd)) return;
      }
      // A run that was called off before it began has no events.
      if (last === undefined && (await isDone(runId))) return;
    } catch (error) {
      if (signal.aborted || !isCutOff(error)) throw error;
    }
    if (signal.aborted) return;
    response = await openEvents(runId, last, signal);
  }
}

/** All events of a run up to now. */
export async function loadEvents(runId: string, signal: AbortSignal): Promise<readonly Frame[]> {
  const all: Frame[] = [];
  const response = await ask(`v1/runs/${encodeURIComponent(runId)}/events?children=events`, { signal });
  for await (const frames of readFrames(response)) all.push(...frames);
  return all;
}

function openEvents(runId: string, last: string | undefined, signal: AbortSignal): Promise<Response> {
  const headers = last === undefined ? {} : { "last-event-id": last };
  return ask(`v1/runs/${encodeURIComponent(runId)}/events?follow=true&children=events`, { headers, signal });
}

function isEnd({ event }: Frame): boolean {
  return event.type === "run_finish" && event.lineage === undefined && event.data.termination.type !== "suspended";
}

async function isDone(runId: string): Promise<boolean> {
  const { status } = await (await ask(`v1/runs/${encodeURIComponent(runId)}`)).json();
  return status === "done";
}

/** A body that breaks off is a TypeError; everything else is a mistake of the server's or ours. */
function isCutOff(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof DOMException && error.name === "NetworkError");
}
