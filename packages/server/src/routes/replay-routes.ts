import { pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { badRequest } from "../http/http-refusal.ts";
import { Query } from "../http/query.ts";
import { assertScope } from "../security/principal.ts";
import { decodeRerun } from "../wire/decode-rerun.ts";
import { readFields } from "../wire/read-fields.ts";
import * as schema from "./replay-routes.schema.ts";

/** Finished runs once more: checked, tried another way, and compared. */
export const replayRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/runs/:id/replay",
    scope: "run",
    operation: schema.replay,
    async handle(call) {
      const { mode = "verify" } = readFields(await call.body.optionalJson(), { mode: ["mode"] });
      if (mode !== "verify" && mode !== "reexecute") throw badRequest("mode is verify or reexecute");
      return answer(call, 200, await call.runtime.replay(pathPart(call, "id"), { mode }));
    },
  },
  {
    method: "POST",
    path: "/v1/runs/:id/rerun",
    scope: "run",
    operation: schema.rerun,
    usesReserved: true,
    async handle(call) {
      const { step, changes } = decodeRerun(await call.body.json());
      // What an agent is told and which model it asks is the operator's to say.
      if (changes.model !== undefined || changes.instructions !== undefined) assertScope(call.principal, "admin");
      const runId = pathPart(call, "id");
      const { reserved } = call;
      const ids = reserved && { runId: reserved.run_id, threadId: changes.threadId ?? reserved.thread_id };
      const { run, threadId, at } = await call.runtime.rerunFrom(runId, step, { ...changes, ...ids });
      return answer(call, 202, { status: "rerun_started", run_id: run.id, thread_id: threadId, rerun_of: runId, at });
    },
  },
  {
    method: "GET",
    path: "/v1/runs/:id/compare",
    scope: "read",
    operation: schema.compare,
    async handle(call) {
      const other = new Query(call.context.req.url).text("with");
      if (other === undefined) throw badRequest("with is the id of another run");
      return answer(call, 200, await call.runtime.compareRuns(pathPart(call, "id"), other));
    },
  },
];
