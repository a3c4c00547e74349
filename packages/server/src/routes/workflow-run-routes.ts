import { MAX_LIMIT, RepriseError, type RunRequest } from "@reprise/contracts";
import { compileSchema } from "@reprise/runtime";
import { keepNodes } from "@reprise/workflow";
import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { answer, idHeaders } from "../http/answer.ts";
import { answerPage } from "../http/answer-list.ts";
import { badRequest } from "../http/http-refusal.ts";
import { Query } from "../http/query.ts";
import { withTrace } from "../idempotency/submit-once.ts";
import { deciderOf, hasScope } from "../security/principal.ts";
import { encodeQueuedRun, encodeRun } from "../wire/encode-run.ts";
import { findBegun } from "../wire/find-record.ts";
import { readFields, textOf } from "../wire/read-fields.ts";
import { decodeGateAnswer, verbOf } from "../workflow/decode-gate.ts";
import { verticesOf } from "../workflow/describe-graph.ts";
import { describeQuestion, describeState } from "../workflow/describe-workflow-run.ts";
import { findAwaiting, findGate } from "../workflow/find-question.ts";
import { findWorkflow, listWorkflows } from "../workflow/find-workflow.ts";
import { listWorkflowRuns } from "../workflow/list-workflow-runs.ts";
import { type LoadedWorkflowRun, loadWorkflowRun } from "../workflow/load-workflow-run.ts";
import { streamRun } from "./run-event-routes.ts";
import { cancelOnce } from "./run-routes.ts";
import * as schema from "./workflow-run-routes.schema.ts";

/** Runs of workflows: list, look, follow, answer, restart, cancel. */
export const workflowRunRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "/v1/workflow-runs",
    scope: "read",
    operation: schema.list,
    async handle(exchange) {
      const query = new Query(exchange.context.req.url);
      const status = query.oneOf("status", ["running", "waiting", "done"]);
      const workflow = query.text("workflow_id");
      const known = workflow === undefined ? listWorkflows(exchange.runtime).map(({ info }) => info.id) : [workflow];
      const filter = status === undefined ? {} : { status };
      const read = (offset: number, limit: number) =>
        listWorkflowRuns(exchange.runtime, known, { ...filter, offset, limit });
      return answerPage(exchange, query.page(), read, (run) => ({ ...encodeRun(run), workflow_id: run.agent_id }));
    },
  },
  {
    method: "GET",
    path: "/v1/workflow-runs/:id",
    scope: "read",
    operation: schema.get,
    async handle(exchange) {
      const loaded = await loadWorkflowRun(exchange.runtime, pathPart(exchange, "id"));
      const described = await describeRun(exchange, loaded);
      const workflow = new Query(exchange.context.req.url).flag("workflow") ? loaded.state?.workflow : undefined;
      if (workflow === undefined) return answer(exchange, 200, described);
      return answer(exchange, 200, { ...described, workflow });
    },
  },
  {
    method: "POST",
    path: "/v1/workflow-runs/:id/cancel",
    scope: "run",
    operation: schema.cancel,
    async handle(exchange) {
      const { run } = await loadWorkflowRun(exchange.runtime, pathPart(exchange, "id"));
      return cancelOnce(exchange, run);
    },
  },
  {
    method: "GET",
    path: "/v1/workflow-runs/:id/events",
    scope: "read",
    operation: schema.events,
    opensStream: true,
    async handle(exchange) {
      const { run } = await loadWorkflowRun(exchange.runtime, pathPart(exchange, "id"));
      return streamRun(exchange, run, ["events", "facts", "colon"]);
    },
  },
  {
    method: "POST",
    path: "/v1/workflow-runs/:id/gates/:gate",
    scope: "decide",
    operation: schema.gate,
    async handle(exchange) {
      const answered = decodeGateAnswer(await exchange.body.json());
      const { run } = await loadWorkflowRun(exchange.runtime, pathPart(exchange, "id"));
      const call = await findGate(exchange.runtime, run.id, pathPart(exchange, "gate"));
      const verb = verbOf(call, answered);
      const { response_schema } = call.ticket?.suspension ?? {};
      const problem =
        response_schema !== undefined && verb.action === "supply" && compileSchema(response_schema)(verb.result);
      if (typeof problem === "string") throw badRequest(`the payload does not fit the gate: ${problem}`);
      const { decisionId } = answered;
      const decision = await exchange.runtime.decisions.decide(call.call_id, verb, {
        runId: run.id,
        ...(decisionId !== undefined && { decisionId }),
        ...deciderOf(exchange.principal),
      });
      return answer(exchange, 202, decision);
    },
  },
  {
    method: "POST",
    path: "/v1/workflow-runs/:id/events/:name",
    scope: ["run", "decide"],
    operation: schema.sendEvent,
    async handle(exchange) {
      const { runtime, principal } = exchange;
      const { payload = null } = await exchange.body.optionalJson();
      const { run } = await loadWorkflowRun(runtime, pathPart(exchange, "id"));
      const awaiting = await findAwaiting(runtime, run.id, pathPart(exchange, "name"));
      for (const { call_id } of awaiting) {
        const verb = { action: "supply", result: payload } as const;
        await runtime.decisions.decide(call_id, verb, { runId: run.id, ...deciderOf(principal) });
      }
      return answer(exchange, 202, { run_id: run.id, calls: awaiting.map(({ call_id }) => call_id) });
    },
  },
  {
    method: "POST",
    path: "/v1/workflow-runs/:id/restart",
    scope: "run",
    operation: schema.restart,
    async handle(exchange) {
      const fields = readFields(await exchange.body.json(), { from: ["from"] });
      const from = textOf("from", fields.from);
      if (from === undefined) throw badRequest("from names the node to start again from");
      const loaded = await loadWorkflowRun(exchange.runtime, pathPart(exchange, "id"));
      const begun = await findBegun(exchange);
      const run = begun ?? (await restart(exchange, loaded, from));
      const body = { run_id: run.id, thread_id: run.threadId, restarted_run_id: loaded.run.id };
      return answer(exchange, 202, body, idHeaders({ run: run.id, thread: run.threadId }));
    },
  },
];

async function describeRun({ runtime }: HttpExchange, { run, record, state }: LoadedWorkflowRun): Promise<object> {
  if (record === undefined) {
    const { items } = await runtime.mailbox.list({ runId: run.id });
    const entry = items.find(({ kind }) => kind === "run");
    const queued = entry === undefined ? encodeRun(await run.record()) : encodeQueuedRun(entry);
    return { ...queued, workflow_id: entry?.request?.agent_id ?? null, questions: [] };
  }
  const { items } = await runtime.decisions.page({ runId: run.id, limit: MAX_LIMIT });
  return {
    ...encodeRun(record),
    workflow_id: record.agent_id,
    ...(state !== undefined && describeState(state)),
    questions: items.map(describeQuestion),
  };
}

/** Starts a new run that keeps the nodes which do not depend on one, on a thread of its own. */
async function restart(exchange: HttpExchange, { run, record, state }: LoadedWorkflowRun, from: string) {
  const { runtime, principal } = exchange;
  if (record?.status !== "done") {
    const message = `Run ${run.id} is not over. Cancel it, or wait for its end, before it is restarted.`;
    throw new RepriseError("RUN_NOT_DONE", message, { details: { run_id: run.id } });
  }
  const { info, document } = findWorkflow(runtime, record.agent_id);
  if (state === undefined) throw badRequest(`run ${run.id} has no nodes to keep: start the workflow anew`);
  const keep = keepNodes({ vertices: verticesOf(document.workflow) }, state.nodes, from);
  if (keep === undefined) throw badRequest(`the workflow ${info.id} has no node ${JSON.stringify(from.slice(0, 80))}`);
  const inputs = { ...state.inputs, ...state.secrets };
  const request: RunRequest = {
    ...(exchange.reserved !== undefined && { run_id: exchange.reserved.run_id }),
    agent_id: info.id,
    messages: [{ role: "user", content: JSON.stringify({ inputs, keep }) }],
    // The one origin whose runs may keep nodes, which no client can choose.
    origin: "workflow",
    metadata: { ...record.metadata, restarted_run_id: run.id, restarted_from: from },
    ...(record.resource_id !== undefined && { resource_id: record.resource_id }),
  };
  const options = { capBudget: !hasScope(principal, "admin"), ...deciderOf(principal) };
  return runtime.submit(withTrace(exchange, request), options);
}
