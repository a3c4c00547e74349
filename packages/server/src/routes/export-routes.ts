import { pathPart, type Route } from "../host/route.ts";
import { streamPieces } from "../http/answer-list.ts";
import { Query } from "../http/query.ts";
import { exportThread } from "../wire/export-thread.ts";
import * as schema from "./export-routes.schema.ts";

/** A browser that is sent here keeps it as a file. */
const ATTACHED: Readonly<Record<string, string>> = { "content-disposition": "attachment" };

/** Finished runs to take away. */
export const runExportRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/runs/:id/export",
    scope: "read",
    operation: schema.run,
    async handle(exchange) {
      const pieces = await exchange.runtime.exportRunText(pathPart(exchange, "id"));
      const headers = { ...exchange.headers, "content-type": "application/json", ...ATTACHED };
      return new Response(streamPieces("", pieces), { headers });
    },
  },
];

/** Threads to take away. */
export const threadExportRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/threads/:id/export",
    scope: "read",
    operation: schema.thread,
    async handle(exchange) {
      const after = Math.max(new Query(exchange.context.req.url).wholeNumber("after") ?? 0, 0);
      const lines = await exportThread(exchange.runtime, pathPart(exchange, "id"), after);
      return new Response(lines, {
        headers: { ...exchange.headers, "content-type": "application/x-ndjson", ...ATTACHED },
      });
    },
  },
];
