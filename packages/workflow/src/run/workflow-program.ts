import { describeThrown, type RunProgram } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import type { Workflow } from "../document/workflow-document.ts";
import { compilePlan } from "../plan/compile-plan.ts";
import type { RunPlan } from "../plan/run-plan.ts";
import { NodeLimits } from "./node-limits.ts";
import type { WorkflowHost } from "./workflow-host.ts";
import { WorkflowRun } from "./workflow-run.ts";

/** The kind of the program that runs workflows. */
export const WORKFLOW_PROGRAM = "workflow";

/** Plans are kept by their workflow, which never changes. */
const plans = new WeakMap<object, RunPlan>();

function compileOnce(workflow: Workflow): RunPlan {
  let plan = plans.get(workflow);
  if (plan === undefined) {
    plan = compilePlan(workflow);
    plans.set(workflow, plan);
  }
  return plan;
}

/** The program that runs workflows with what a host gives them. */
export function createWorkflowProgram(host: WorkflowHost): RunProgram {
  const limits = new NodeLimits();
  return {
    kind: WORKFLOW_PROGRAM,
    findProblem: (definition) => findProblem(definition),
    run: (port) => new WorkflowRun({ port, host, limits, compile: compileOnce }).run(),
  };
}

function findProblem(definition: JsonObject): string | undefined {
  try {
    // A document that `readWorkflow` or `defineWorkflow` made.
    compileOnce((definition as unknown as { readonly workflow: Workflow }).workflow);
    return undefined;
  } catch (error) {
    return describeThrown(error);
  }
}
