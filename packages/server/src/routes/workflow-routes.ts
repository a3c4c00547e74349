import type { RunRequest } from "@reprise/contracts";
import { readInputs } from "@reprise/workflow";
import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { answer, idHeaders } from "../http/answer.ts";
import { withTrace } from "../idempotency/submit-once.ts";
import { deciderOf, hasScope } from "../security/principal.ts";
import { cronTimes } from "../triggers/cron-times.ts";
import { findBegun } from "../wire/find-record.ts";
import { readShaped } from "../wire/read-shaped.ts";
import { describeGraph } from "../workflow/describe-graph.ts";
import { findWorkflow, type KnownWorkflow, listWorkflows, summarise } from "../workflow/find-workflow.ts";
import { WORKFLOW_RUN_BODY } from "../workflow/workflow-run-body.ts";
import * as schema from "./workflow-routes.schema.ts";

/** Workflows: list, look, start. */
export const workflowRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/workflows",
    scope: "read",
    operation: schema.list,
    handle: (exchange) => answer(exchange, 200, { items: listWorkflows(exchange.runtime).map(summarise) }),
  },
  {
    method: "GET",
    path: "/v1/workflows/:id",
    scope: "read",
    operation: schema.get,
    handle(exchange) {
      const known = findWorkflow(exchange.runtime, pathPart(exchange, "id"));
      const { document } = known;
      const graph = describeGraph(document.workflow);
      return answer(exchange, 200, { ...summarise(known), ...describeTrigger(exchange, known), document, graph });
    },
  },
  {
    method: "POST",
    path: "/v1/workflows/:id/runs",
    scope: "run",
    operation: schema.start,
    async handle(exchange) {
      const given = await exchange.body.optionalJson();
      const { info, document } = findWorkflow(exchange.runtime, pathPart(exchange, "id"));
      const { value, warnings } = readShaped(given, WORKFLOW_RUN_BODY);
      const { strict: _, inputs = {}, ...rest } = value;
      // Refused now, while the client listens: every problem at once.
      readInputs(document.workflow, inputs);
      const request: RunRequest = {
        ...(exchange.reserved !== undefined && { run_id: exchange.reserved.run_id }),
        ...rest,
        agent_id: info.id,
        messages: [{ role: "user", content: JSON.stringify({ inputs }) }],
        origin: "user",
      };
      const options = { capBudget: !hasScope(exchange.principal, "admin"), ...deciderOf(exchange.principal) };
      const begun = await findBegun(exchange);
      const run = begun ?? (await exchange.runtime.submit(withTrace(exchange, request), options));
      const body = { run_id: run.id, thread_id: run.threadId, workflow_id: info.id };
      const said = warnings.length > 0 ? { ...body, warnings } : body;
      return answer(exchange, 202, said, idHeaders({ run: run.id, thread: run.threadId }));
    },
  },
];

const SHOWN_TIMES = 3;

/** When a schedule fires next, and whether webhooks can be checked here. */
function describeTrigger({ runtime, host }: HttpExchange, { document }: KnownWorkflow): object {
  const { trigger } = document.workflow;
  if (trigger?.type === "webhook") return { is_webhook_ready: host.secret(trigger.secret) !== undefined };
  if (trigger?.type !== "schedule") return {};
  try {
    const times = cronTimes(trigger.cron, trigger.timezone);
    const next_times: number[] = [];
    for (let at = times.next(runtime.now()); at !== undefined; at = times.next(at)) {
      next_times.push(at);
      if (next_times.length === SHOWN_TIMES) break;
    }
    return { next_times };
  } catch {
    // No valid expression: the log says so, and it never fires.
    return { next_times: [] };
  }
}
