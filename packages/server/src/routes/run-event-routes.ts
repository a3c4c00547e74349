import { createFactEncoder } from "@reprise/protocols/facts";
import type { RunHandle } from "@reprise/runtime";
import { pathPart, type Route } from "../host/route.ts";
import { idHeaders } from "../http/answer.ts";
import { badRequest } from "../http/http-refusal.ts";
import { Query } from "../http/query.ts";
import type { FrameEncoding } from "../sse/frame-encoding.ts";
import { respondWithEvents } from "../sse/respond-with-events.ts";
import { findRecord } from "../wire/find-record.ts";
import { readCursor } from "../wire/read-cursor.ts";
import * as schema from "./run-event-routes.schema.ts";

/** Facts for a client that has the events up to a position. They refer to what happened before, so that is read first. */
async function openFacts(run: RunHandle, known: number): Promise<FrameEncoding> {
  const encoder = createFactEncoder();
  for await (const event of known === 0 ? [] : run.events()) {
    encoder.skip(event);
    if ((event.seq ?? 0) >= known) break;
  }
  return { encode: ({ event, cursor }) => encoder.encode(event, cursor), end: () => encoder.end(), isOver: false };
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
      const query = new Query(exchange.context.req.url);
      const after = readCursor(exchange.context.req.raw.headers, query);
      const follow = query.flag("follow");
      const format = query.oneOf("format", ["events", "facts"]);
      const children = query.oneOf("children", CHILDREN);
      if (format === "facts" && children !== undefined) throw badRequest("facts have no children");
      const run = await exchange.runtime.run(pathPart(exchange, "id"));
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
        format === "facts" ? await openFacts(run, Math.min(after?.seq ?? 0, record?.last_seq ?? 0)) : undefined;
      return respondWithEvents(exchange, (signal) => run.eventsWithCursor({ ...options, signal }), ids, encoding);
    },
  },
];
