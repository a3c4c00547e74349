import { notFound } from "@reprise/contracts";
import type { AgentInfo, TenantRuntime } from "@reprise/runtime";
import { isWorkflowProgram, type WorkflowDocument } from "@reprise/workflow";

/** A workflow of the runtime: the agent that runs it, and its document. */
export interface KnownWorkflow {
  readonly info: AgentInfo;
  readonly document: WorkflowDocument;
}

export function listWorkflows(runtime: Pick<TenantRuntime, "agents">): readonly KnownWorkflow[] {
  return runtime.agents().flatMap((info) => {
    const { program } = info;
    return isWorkflowProgram(program) ? [{ info, document: program.definition }] : [];
  });
}

export function findWorkflow(runtime: Pick<TenantRuntime, "agents">, id: string): KnownWorkflow {
  const known = listWorkflows(runtime).find(({ info }) => info.id === id);
  if (known === undefined) throw notFound("WORKFLOW_NOT_FOUND", "workflow", id);
  return known;
}

/** What a list says of a workflow. */
export function summarise({ info, document: { workflow } }: KnownWorkflow): object {
  const { version, tags = [], inputs = [], trigger = { type: "manual" } } = workflow;
  return {
    id: info.id,
    name: info.name,
    description: info.description,
    ...(version !== undefined && { version }),
    tags,
    trigger,
    inputs,
    nodes: workflow.nodes.length,
    ...(info.definition !== undefined && { definition: info.definition }),
  };
}
