import { type RunRequest, runNotActive } from "@reprise/contracts";
import { type Call, pathPart, type Route } from "../host/route.ts";
import { answer, idHeaders } from "../http/answer.ts";
import { assertScope, hasScope } from "../security/principal.ts";
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
    usesReserved: true,
    async handle(call) {
      const inputs = decodeRunInputs(await call.body.json());
      // Who may start runs may not thereby approve what they ask for, nor the other way round.
      if (inputs.messages.length > 0) assertScope(call.principal, "run");
      if (inputs.decisions.length > 0) assertScope(call.principal, "decide");
      return inputs.agentId !== undefined && inputs.messages.length > 0
        ? startContinuation(call, { ...inputs, agentId: inputs.agentId })
        : forwardDecisions(call, inputs);
    },
  },
];

/** Decisions alone are for a run that has begun; one that is done has its answers to repeat. */
async function forwardDecisions(call: Call, { decisions, warnings }: RunInputs): Promise<Response> {
  const { runtime } = call;
  const run = await runtime.run(pathPart(call, "id"));
  const record = await findRecord(run);
  if (record === undefined) throw runNotActive(run.id);
  await runtime.decisions.forward(record.run_id, decisions);
  const body = { status: "decision_forwarded", run_id: run.id, thread_id: record.thread_id };
  return answer(call, 202, { ...body, ...(warnings.length > 0 && { warnings }) });
}

/** Messages go on after a run, in a new one on the same thread. */
async function startContinuation(call: Call, inputs: RunInputs & { readonly agentId: string }): Promise<Response> {
  const { runtime } = call;
  const parent = await runtime.run(pathPart(call, "id"));
  const { agentId, messages, decisions, warnings } = inputs;
  const request: RunRequest = {
    agent_id: agentId,
    thread_id: parent.threadId,
    parent_run_id: parent.id,
    messages,
    origin: "user",
    ...(call.reserved !== undefined && { run_id: call.reserved.run_id }),
    ...(decisions.length > 0 && { initial_decisions: decisions }),
  };
  const begun = await findBegun(call);
  const run = begun ?? (await runtime.submit(request, { capBudget: !hasScope(call.principal, "admin") }));
  const body = { status: "continuation_started", parent_run_id: parent.id, thread_id: parent.threadId };
  return answer(
    call,
    202,
    { ...body, ...(warnings.length > 0 && { warnings }) },
    idHeaders({ run: run.id, thread: run.threadId }),
  );
}
