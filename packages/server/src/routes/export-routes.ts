import { answer } from "../http/answer.ts";
import { Query } from "../http/query.ts";
import { pathPart, type Route } from "../http/route.ts";
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
    handle: async (call) => answer(call, 200, await call.runtime.exportRun(pathPart(call, "id")), ATTACHED),
  },
];

/** Threads to take away. */
export const threadExportRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/threads/:id/export",
    scope: "read",
    operation: schema.thread,
    async handle(call) {
      const after = Math.max(new Query(call.context.req.url).wholeNumber("after") ?? 0, 0);
      const lines = await exportThread(call.runtime, pathPart(call, "id"), after);
      return new Response(lines, {
        headers: { ...call.headers, "content-type": "application/x-ndjson", ...ATTACHED },
      });
    },
  },
];
