import { createFactEncoder, type FactEncoder } from "@reprise/protocols/facts";
import { createWorkflowEncoder, type WorkflowEncoder } from "@reprise/protocols/workflow";
import type { RunHandle } from "@reprise/runtime";
import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { idHeaders } from "../http/answer.ts";
import { badRequest } from "../http/http-refusal.ts";
import { Query } from "../http/query.ts";
import type { FrameEncoding } from "../sse/frame-encoding.ts";
import { respondWithEvents } from "../sse/respond-with-events.ts";
import { findRecord } from "../wire/find-record.ts";
import { readCursor } from "../wire/read-cursor.ts";
import * as schema from "./run-event-routes.schema.ts";

/** The words in which events can be told, beside their own. */
type Encoding = "facts" | "colon";

type EventFormat = "events" | Encoding;

const ENCODERS: Readonly<Record<Encoding, () => FactEncoder | WorkflowEncoder>> = {
  facts: () => createFactEncoder(),
  colon: () => createWorkflowEncoder(),
};

/** An encoding for a client that has the events up to a position. What is told refers to what happened before, so that is read first. */
async function openEncoding(format: Encoding, run: RunHandle, known: number): Promise<FrameEncoding> {
  const encoder = ENCODERS[format]();
  for await (const event of known === 0 ? [] : run.events()) {
    encoder.skip(event);
    if ((event.seq ?? 0) >= known) break;
  }
  return {
    encode: ({ event, cursor }) => encoder.encode(event, cursor),
    end: () => encoder.end(),
    get isOver() {
      // Withdrawn events have their numbers: the client comes back and reads the run anew.
      return "phase" in encoder.state && encoder.state.phase === "withdrawn";
    },
  };
}

/** What a client may get of the runs below. */
export const CHILDREN = ["events", "progress"] as const;

/** The events of a run, from any point, as often as one likes. */
export const runEventRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/runs/:id/events",
    scope: "read",
    operation: schema.events,
    opensStream: true,
    async handle(exchange) {
      return streamRun(exchange, await exchange.runtime.run(pathPart(exchange, "id")), ["events", "facts"]);
    },
  },
];

/** Answers with the events of a run as the query asks for them. */
export async function streamRun(
  exchange: HttpExchange,
  run: RunHandle,
  formats: readonly EventFormat[],
): Promise<Response> {
  const query = new Query(exchange.context.req.url);
  const after = readCursor(exchange.context.req.raw.headers, query);
  const follow = query.flag("follow");
  const format = query.oneOf("format", formats) ?? "events";
  const children = query.oneOf("children", CHILDREN);
  if (format !== "events" && children !== undefined) throw badRequest(`${format} have no children`);
  const record = await findRecord(run);
  if (after !== undefined && after.run_id !== (record?.run_id ?? run.id)) {
    throw badRequest(`Last-Event-ID is not of run ${run.id}`);
  }
  // A browser comes back for as long as it is answered with a stream; this tells it that there is nothing more.
  const isBelowRead = !follow || after?.below === undefined;
  const isRead = record?.status === "done" && after !== undefined && isBelowRead && (await run.hasEndedAt(after));
  if (isRead) return new Response(null, { status: 204, headers: exchange.headers });
  const ids = idHeaders({ run: record?.run_id ?? run.id, thread: run.threadId });
  const options = { follow, ...(after !== undefined && { after }), ...(children !== undefined && { children }) };
  const encoding =
    format === "events" ? undefined : await openEncoding(format, run, Math.min(after?.seq ?? 0, record?.last_seq ?? 0));
  return respondWithEvents(exchange, (signal) => run.eventsWithCursor({ ...options, signal }), ids, encoding);
}
