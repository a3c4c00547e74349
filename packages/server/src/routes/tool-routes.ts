import { pathPart, type Route } from "../host/route.ts";
import { answer, idHeaders } from "../http/answer.ts";
import { findBegun } from "../wire/find-record.ts";
import { readFields, textOf } from "../wire/read-fields.ts";
import { waitForCall } from "../wire/wait-for-call.ts";
import { previewPermission } from "./preview-permission.ts";
import * as schema from "./tool-routes.schema.ts";

const CALL_FIELDS = { arguments: ["arguments"], thread_id: ["threadId", "thread_id"] } as const;

/** Tools without a model: one call by hand, and whether a call would have to be asked about. */
export const toolRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/agents/:id/tools/:tool_id/run",
    scope: "run",
    operation: schema.run,
    async handle(exchange) {
      const fields = readFields(await exchange.body.optionalJson(), CALL_FIELDS);
      const threadId = textOf("threadId", fields.thread_id) ?? exchange.reserved?.thread_id;
      const run =
        (await findBegun(exchange)) ??
        (await exchange.runtime.callTool({
          agent: pathPart(exchange, "id"),
          tool: pathPart(exchange, "tool_id"),
          arguments: fields.arguments ?? {},
          ...(threadId !== undefined && { threadId }),
          ...(exchange.reserved !== undefined && { runId: exchange.reserved.run_id }),
        }));
      const { status, result } = await waitForCall(run);
      const body = { run_id: run.id, thread_id: run.threadId, status, ...(result !== undefined && { result }) };
      return answer(exchange, status === "done" ? 200 : 202, body, idHeaders({ run: run.id, thread: run.threadId }));
    },
  },
  {
    method: "POST",
    path: "/v1/permissions/preview",
    scope: "run",
    operation: schema.preview,
    handle: previewPermission,
  },
];
