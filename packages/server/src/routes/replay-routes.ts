import type { ModelCall } from "@reprise/runtime";
import { pathPart, type Route } from "../host/route.ts";
import { answer } from "../http/answer.ts";
import { badRequest } from "../http/http-refusal.ts";
import { Query } from "../http/query.ts";
import { assertScope } from "../security/principal.ts";
import { decodeRerun } from "../wire/decode-rerun.ts";
import { readFields } from "../wire/read-fields.ts";
import * as schema from "./replay-routes.schema.ts";

function encodeModelCall({ answer: said, ...call }: ModelCall): object {
  if (said === undefined) return call;
  const { stopReason: stop_reason, ...rest } = said;
  return { ...call, answer: { ...rest, stop_reason } };
}

/** Finished runs once more: checked, tried another way, and compared. */
export const replayRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/runs/:id/replay",
    scope: "run",
    operation: schema.replay,
    async handle(exchange) {
      const { mode = "verify" } = readFields(await exchange.body.optionalJson(), { mode: ["mode"] });
      if (mode !== "verify" && mode !== "reexecute") throw badRequest("mode is verify or reexecute");
      return answer(exchange, 200, await exchange.runtime.replay(pathPart(exchange, "id"), { mode }));
    },
  },
  {
    method: "POST",
    path: "/v1/runs/:id/rerun",
    scope: "run",
    operation: schema.rerun,
    async handle(exchange) {
      const { step, changes } = decodeRerun(await exchange.body.json());
      // The prompt and the model of an agent are the operator's to choose, and so is what a tool is said to have answered.
      const { model, instructions, toolResults } = changes;
      if ((model ?? instructions ?? toolResults) !== undefined) assertScope(exchange.principal, "admin");
      const runId = pathPart(exchange, "id");
      const { reserved } = exchange;
      const ids = reserved && { runId: reserved.run_id, threadId: changes.threadId ?? reserved.thread_id };
      const { run, threadId, at } = await exchange.runtime.rerunFrom(runId, step, { ...changes, ...ids });
      return answer(exchange, 202, {
        status: "rerun_started",
        run_id: run.id,
        thread_id: threadId,
        rerun_of: runId,
        at,
      });
    },
  },
  {
    method: "GET",
    path: "/v1/runs/:id/model-calls",
    scope: "read",
    operation: schema.modelCalls,
    async handle(exchange) {
      const step = new Query(exchange.context.req.url).wholeNumber("step");
      if (step === undefined) throw badRequest("step is the number of a step");
      const runId = pathPart(exchange, "id");
      const calls = await exchange.runtime.modelCalls(runId, step);
      return answer(exchange, 200, { run_id: runId, step, calls: calls.map(encodeModelCall) });
    },
  },
  {
    method: "GET",
    path: "/v1/runs/:id/compare",
    scope: "read",
    operation: schema.compare,
    async handle(exchange) {
      const other = new Query(exchange.context.req.url).text("with");
      if (other === undefined) throw badRequest("with is the id of another run");
      return answer(exchange, 200, await exchange.runtime.compareRuns(pathPart(exchange, "id"), other));
    },
  },
];
