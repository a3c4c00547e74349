import { type RunRequest, runNotActive } from "@reprise/contracts";
import { type HttpExchange, pathPart, type Route } from "../host/route.ts";
import { answer, idHeaders } from "../http/answer.ts";
import { withTrace } from "../idempotency/submit-once.ts";
import { assertScope, deciderOf, hasScope } from "../security/principal.ts";
import { decodeRunInputs, type RunInputs } from "../wire/decode-run-request.ts";
import { findBegun, findRecord } from "../wire/find-record.ts";
import * as schema from "./run-input-routes.schema.ts";

/** What is said to a run that exists. */
export const runInputRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/runs/:id/inputs",
    scope: ["run", "decide"],
    operation: schema.inputs,
    async handle(exchange) {
      const inputs = decodeRunInputs(await exchange.body.json());
      // Who may start runs may not thereby approve what they ask for, nor the other way round.
      if (inputs.messages.length > 0) assertScope(exchange.principal, "run");
      if (inputs.decisions.length > 0) assertScope(exchange.principal, "decide");
      return inputs.agentId !== undefined && inputs.messages.length > 0
        ? startContinuation(exchange, { ...inputs, agentId: inputs.agentId })
        : forwardDecisions(exchange, inputs);
    },
  },
];

/** Decisions alone are for a run that has begun; one that is done has its answers to repeat. */
async function forwardDecisions(exchange: HttpExchange, { decisions, warnings }: RunInputs): Promise<Response> {
  const { runtime } = exchange;
  const run = await runtime.run(pathPart(exchange, "id"));
  const record = await findRecord(run);
  if (record === undefined) throw runNotActive(run.id);
  await runtime.decisions.forward(record.run_id, decisions, deciderOf(exchange.principal));
  const body = { status: "decision_forwarded", run_id: run.id, thread_id: record.thread_id };
  return answer(exchange, 202, { ...body, ...(warnings.length > 0 && { warnings }) });
}

/** Messages to a run start a new run on its thread. */
async function startContinuation(
  exchange: HttpExchange,
  inputs: RunInputs & { readonly agentId: string },
): Promise<Response> {
  const { runtime } = exchange;
  const parent = await runtime.run(pathPart(exchange, "id"));
  const { agentId, messages, decisions, warnings } = inputs;
  const request: RunRequest = {
    agent_id: agentId,
    thread_id: parent.threadId,
    parent_run_id: parent.id,
    messages,
    origin: "user",
    ...(exchange.reserved !== undefined && { run_id: exchange.reserved.run_id }),
    ...(decisions.length > 0 && { initial_decisions: decisions }),
  };
  const begun = await findBegun(exchange);
  const traced = withTrace(exchange, request);
  const options = { capBudget: !hasScope(exchange.principal, "admin"), ...deciderOf(exchange.principal) };
  const run = begun ?? (await runtime.submit(traced, options));
  const body = { status: "continuation_started", parent_run_id: parent.id, thread_id: parent.threadId };
  return answer(
    exchange,
    202,
    { ...body, ...(warnings.length > 0 && { warnings }) },
    idHeaders({ run: run.id, thread: run.threadId }),
  );
}
