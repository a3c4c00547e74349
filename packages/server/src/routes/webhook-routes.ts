import { readInputs } from "@reprise/workflow";
import { pathPart, type Route } from "../host/route.ts";
import { answer, idHeaders } from "../http/answer.ts";
import { withTrace } from "../idempotency/submit-once.ts";
import { checkSignature, refused } from "../triggers/check-signature.ts";
import { findDelivery } from "../triggers/find-delivery.ts";
import { listWorkflows } from "../workflow/find-workflow.ts";
import * as schema from "./webhook-routes.schema.ts";

/** Workflows that are started by whoever knows their secret. */
export const webhookRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "/v1/workflows/:id/webhook",
    scope: "signed",
    operation: schema.webhook,
    // The signature tells: a request that comes again is the run that it began first.
    knowsRepeats: true,
    async handle(exchange) {
      const { runtime, host, context } = exchange;
      const known = listWorkflows(runtime).find(({ info }) => info.id === pathPart(exchange, "id"));
      const trigger = known?.document.workflow.trigger;
      const secret = trigger?.type === "webhook" ? host.secret(trigger.secret) : undefined;
      // The same for a workflow that does not exist: the callers have shown nothing yet.
      if (known === undefined || trigger?.type !== "webhook" || secret === undefined) throw refused();
      const [timestamp, signature] = [
        context.req.header("x-reprise-timestamp"),
        context.req.header("x-reprise-signature"),
      ];
      const body = await exchange.body.text();
      const digits = await checkSignature({ timestamp, signature, body }, secret, runtime.now());
      const inputs = { ...trigger.inputs, ...(await exchange.body.optionalJson()) };
      readInputs(known.document.workflow, inputs);
      const { id } = known.info;
      const key = `webhook:${id}:${await findDelivery(exchange, { workflowId: id, digits })}`;
      const run = await runtime.submit(
        withTrace(exchange, {
          agent_id: id,
          thread_id: key,
          dedupe_key: key,
          messages: [{ role: "user", content: JSON.stringify({ inputs }) }],
          origin: "webhook",
        }),
        { capBudget: true },
      );
      const said = { run_id: run.id, thread_id: run.threadId, workflow_id: id };
      return answer(exchange, 202, said, idHeaders({ run: run.id, thread: run.threadId }));
    },
  },
];
