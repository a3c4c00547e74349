import { type Message, textOf } from "@reprise/contracts";
import type { AgentNode, WorkflowDocument } from "../document/workflow-document.ts";
import type { AgentSessionState } from "./session-state.ts";

/**
 * A session as a workflow that has the same conversation again: one agent node for each turn, which is told what was said before. Answers are not part of it:
 * the workflow makes its own.
 */
export function exportSession({ agent, messages }: AgentSessionState, workflowId: string): WorkflowDocument {
  const asked = messages.filter(isAsked).map(textOf);
  const turns = asked.map(
    (_, index): AgentNode => ({
      id: nodeIdOf(index),
      type: "agent",
      agent_ref: agent.id,
      prompt_template: promptOf(asked.slice(0, index + 1)),
    }),
  );
  const order = ["input", ...turns.map(({ id }) => id), "output"];
  return {
    schema_version: "1.0",
    workflow: {
      id: workflowId,
      agents: [agent],
      nodes: [{ id: "input", type: "input" }, ...turns, { id: "output", type: "output" }],
      edges: order.slice(1).map((to, index) => ({ from: order[index] ?? "input", to })),
    },
  };
}

function isAsked({ role }: Message): boolean {
  return role === "user";
}

function nodeIdOf(index: number): string {
  return `turn_${index + 1}`;
}

function promptOf(asked: readonly string[]): string {
  const last = asked.length - 1;
  const before = asked
    .slice(0, last)
    .map((text, index) => `User: ${escapeTemplate(text)}\nYou: {{ run.outputs["${nodeIdOf(index)}"] }}`);
  const own = escapeTemplate(asked[last] ?? "");
  return before.length === 0 ? own : `What was said before:\n${before.join("\n")}\n\n${own}`;
}

/** A person's `{{` is no template. */
function escapeTemplate(text: string): string {
  return text.replaceAll("{{", '{{ "{{" }}');
}
