import type { RunProgram } from "@reprise/contracts";
import { createNodeEnv } from "@reprise/node";
import type { Agent } from "@reprise/runtime";
import { defineWorkflow, type Workflow, type WorkflowDocument, workflows } from "@reprise/workflow";
import { createExpressionSandbox } from "@reprise/workflow/quickjs";

export const workflowProgram = (): RunProgram =>
  workflows({ sandbox: createExpressionSandbox({ clock: createNodeEnv().clock }) });

/** A document with a part of its own. */
export function documentOf(workflow: Pick<Workflow, "id" | "nodes"> & Partial<Workflow>): WorkflowDocument {
  return { schema_version: "1.0", workflow };
}

/** Approves, takes input, and waits for an event, one after the other. */
export const RELEASE: WorkflowDocument = documentOf({
  id: "release",
  name: "Release",
  description: "Releases a version.",
  version: "1.2.0",
  inputs: [
    { name: "version", type: "string", required: true },
    { name: "copies", type: "number", default: 1, validation: { min: 1 } },
    { name: "token", type: "secret", validation: { enum: ["RELEASE_TOKEN"] } },
  ],
  nodes: [
    { id: "title", type: "transform", expression: "'Release ' + inputs.version" },
    {
      id: "approve",
      type: "human_gate",
      gate_type: "approval",
      message_template: "{{ run.outputs.title }}?",
      assignee: "ann",
      timeout_ms: 86_400_000,
    },
    {
      id: "notes",
      type: "human_gate",
      gate_type: "input",
      message_template: "The notes, please.",
      response_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
    },
    { id: "deployed", type: "wait", event: "deployed" },
    { id: "out", type: "output" },
  ],
  edges: [
    { from: "title", to: "approve" },
    { from: "approve", to: "notes" },
    { from: "notes", to: "deployed" },
    { from: "deployed", to: "out" },
  ],
});

/** Comes to its end by itself. */
export const SUM: WorkflowDocument = documentOf({
  id: "sum",
  inputs: [{ name: "numbers", type: "json", required: true }],
  nodes: [
    { id: "total", type: "transform", expression: "inputs.numbers.reduce((sum, each) => sum + each, 0)" },
    { id: "out", type: "output" },
  ],
  edges: [{ from: "total", to: "out" }],
});

export function workflowAgents(...more: readonly WorkflowDocument[]): readonly Agent[] {
  return [RELEASE, SUM, ...more].map(defineWorkflow);
}
