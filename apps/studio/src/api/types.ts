import type { components, paths } from "@reprise/client";

type Schemas = components["schemas"];
type Answer<Path extends keyof paths> = paths[Path] extends {
  get: { responses: { 200: { content: { "application/json": infer Body } } } };
}
  ? Body
  : never;

export type Run = Schemas["Run"];
export type Message = Schemas["Message"];
export type OpenDecision = Schemas["OpenDecision"];
export type Agent = Schemas["Agent"];
export type Thread = Schemas["Thread"];
export type MailboxEntry = Schemas["MailboxEntry"];
export type Budget = Schemas["Budget"];
export type Spending = Schemas["Spending"];
export type Workflow = Schemas["Workflow"];
export type WorkflowNode = Schemas["WorkflowNode"];
export type WorkflowRun = Schemas["WorkflowRun"];
export type EvalCase = Schemas["EvalCase"];
export type Experiment = Schemas["Experiment"];
export type EvalResult = Schemas["EvalResult"];
export type EvalOutcome = Schemas["EvalOutcome"];
export type ComparedCases = Answer<"/v1/experiments/{id}/compare">;
export type Version = Answer<"/v1/threads/{id}/history">["items"][number];
export type Summary = Answer<"/v1/threads/summaries">["items"][number];
export type Comparison = Answer<"/v1/runs/{id}/compare">;
export type MailboxPage = Answer<"/v1/mailbox">;
export type Worker = Answer<"/v1/workers">["items"][number];
export type Lease = Answer<"/v1/leases">["items"][number];
export type Spend = Answer<"/v1/spend">;
export type AgentPart = Answer<"/v1/agents/{id}/parts">["items"][number];
export type ConfigEntry = Answer<"/v1/config/agents">["items"][number];
export type ConfigChange = Answer<"/v1/config/agents/{id}/history">["items"][number];
