import {
  AG_UI_HEADERS,
  type AgUiClient,
  type AgUiEncoder,
  createAgUiEncoder,
  encodeAgUiHistory,
} from "@reprise/protocols/ag-ui";
import type { EventIterator, RunHandle } from "@reprise/runtime";
import { browserUrl } from "../blobs/blob-url.ts";
import type { HttpExchange } from "../host/route.ts";
import { idHeaders } from "../http/answer.ts";
import { hasScope } from "../security/principal.ts";
import type { CursoredEvent } from "../sse/encode-frame.ts";
import type { FrameEncoding } from "../sse/frame-encoding.ts";
import { prepareEvents } from "../sse/prepare-events.ts";
import { respondWithEvents } from "../sse/respond-with-events.ts";
import { takeUp } from "../sse/take-up.ts";
import { readMessages } from "./load-messages.ts";

export interface StreamedRun {
  readonly run: RunHandle;
  readonly client: AgUiClient;
  /** How far the client has the events of this run and of the runs below it, by their ids. */
  readonly after?: ReadonlyMap<string, number>;
  /** Called once the run has begun, for what the client is shown before its events. */
  readonly open?: (encoder: AgUiEncoder) => Promise<void>;
}

const NOTHING: ReadonlyMap<string, number> = new Map();

/** Answers with the events of a run and of the runs below it. The response ends where the run waits, and where what was shown is no longer true. */
export function streamRun(exchange: HttpExchange, { run, client, after = NOTHING, open }: StreamedRun): Response {
  const encoder = createAgUiEncoder({ ...client, fileUrl: (url) => browserUrl(exchange, url) });
  const taken = takeUp(after, {
    encode: ({ event, cursor }) => encoder.encode(event, cursor),
    skip: ({ event }) => encoder.skip(event),
    // The response before this one ended here.
    begin: () => void encoder.end(),
  });
  const encoding: FrameEncoding = {
    encode: (item) => taken.encode(item),
    end: () => taken.end() + encoder.end(),
    get isOver() {
      return encoder.phase === "withdrawn";
    },
  };
  const headers = { ...AG_UI_HEADERS, ...idHeaders({ run: run.id, thread: run.threadId }) };
  let isOpen = open === undefined;
  const prepare = (item: CursoredEvent): Promise<CursoredEvent> | undefined => {
    const opening = isOpen ? undefined : open?.(encoder);
    isOpen = true;
    const amending = isAmended(encoder, item) ? amend(exchange, run, encoder) : undefined;
    return opening === undefined && amending === undefined
      ? undefined
      : Promise.all([opening, amending]).then(() => item);
  };
  const read = (signal: AbortSignal): EventIterator<CursoredEvent> =>
    prepareEvents(run.eventsWithCursor({ signal, children: "events" }), prepare);
  return respondWithEvents(exchange, read, headers, encoding);
}

/** Whether a client is about to be left with text that was withdrawn: a model began its answer anew, or the process of the run was lost. */
function isAmended({ state }: AgUiEncoder, { event }: CursoredEvent): boolean {
  if (event.lineage !== undefined) return false;
  return event.type === "stream_reset" || (event.type === "run_finish" && state.isStale === true);
}

/**
 * Gives the client the messages of the thread, without what was withdrawn. Messages of runs below are none of the thread's, and a client
 * without leave to read gets no history: these keep what they have until they connect again.
 */
async function amend(exchange: HttpExchange, run: RunHandle, encoder: AgUiEncoder): Promise<void> {
  const hasBelow = Object.keys(encoder.state.subagents).length > 0;
  if (hasBelow || !hasScope(exchange.principal, "read")) return;
  const { messages, has_more } = await readMessages(exchange, run.threadId);
  // A part of the thread would take the rest of it from the client.
  if (!has_more) encoder.amend(encodeAgUiHistory(messages, (url) => browserUrl(exchange, url)));
}
