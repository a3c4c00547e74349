import type { ProgramSpec } from "@reprise/contracts";
import { type Agent, readAgentSpec } from "@reprise/runtime";
import type { WorkflowBudget, WorkflowDocument } from "../document/workflow-document.ts";
import { WORKFLOW_PROGRAM } from "./workflow-program.ts";

/** Makes a workflow an agent of the runtime: it is started, listed, cancelled and served like any other. */
export function defineWorkflow(document: WorkflowDocument): Agent {
  const { workflow } = document;
  const { id, name, description, budget } = workflow;
  const spec = readAgentSpec({
    id,
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(budget !== undefined && { budget: budgetOf(budget) }),
    program: { kind: WORKFLOW_PROGRAM, definition: document },
  });
  return Object.freeze({ id, spec, tools: [], plugins: [], stopPolicies: [] });
}

/** The words of documents for what a budget does when it is spent. */
const ON_EXCEEDED = { fail: "fail", pause_for_approval: "pause", warn: "warn" } as const;

function budgetOf({ max_cost_microcents, on_exceed = "fail" }: WorkflowBudget): object {
  return { limit_microcents: max_cost_microcents, on_exceeded: ON_EXCEEDED[on_exceed], unpriced: "warn" };
}

/** The program of a workflow, with its document. */
export interface WorkflowProgramSpec extends ProgramSpec {
  readonly definition: ProgramSpec["definition"] & WorkflowDocument;
}

/** Whether a program is a workflow. */
export function isWorkflowProgram(program: ProgramSpec | undefined): program is WorkflowProgramSpec {
  return program?.kind === WORKFLOW_PROGRAM;
}
