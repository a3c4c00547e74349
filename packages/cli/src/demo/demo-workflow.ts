import type { Agent } from "@reprise/runtime";

/** A small workflow of the demonstration: two agents work side by side, a person decides, and the decision is the outcome. */
export async function demoWorkflow(): Promise<Agent> {
  const { defineWorkflow } = await import("reprise/workflow");
  return defineWorkflow({
    schema_version: "1.0",
    workflow: {
      id: "publish-note",
      name: "Publish a note",
      description: "Explains a word, counts its readers at the same time, and publishes the note once a person agrees.",
      version: "1.0.0",
      tags: ["demonstration"],
      inputs: [
        {
          name: "word",
          type: "string",
          required: true,
          default: "replay",
          description: "The word that the note explains.",
          validation: { enum: ["run", "replay", "decision", "fork"] },
        },
        {
          name: "readers",
          type: "number",
          default: 12,
          description: "How many people read it each day.",
          validation: { min: 1, max: 1_000_000 },
        },
      ],
      nodes: [
        { id: "prepare", type: "parallel", parallel_of: ["explain", "count"] },
        {
          id: "explain",
          type: "agent",
          name: "Explain the word",
          agent_ref: "assistant",
          prompt_template: "explain {{ inputs.word }}",
        },
        {
          id: "count",
          type: "agent",
          name: "Count the readers of a week",
          agent_ref: "assistant",
          prompt_template: "what is {{ inputs.readers }} * 7",
        },
        { id: "draft", type: "merge", name: "Put the note together", parallel_of: "prepare", strategy: "concat" },
        {
          id: "approve",
          type: "human_gate",
          name: "Ask an editor",
          gate_type: "approval",
          assignee: "editor",
          message_template: "Publish the note about {{ inputs.word }}?",
          timeout_ms: 86_400_000,
        },
        {
          id: "decided",
          type: "condition",
          name: "Was it approved?",
          expression: 'run.outputs.approve.decision === "approved"',
          branches: [{ when: true, to: "publish" }],
          default: "withdraw",
        },
        {
          id: "publish",
          type: "transform",
          expression: "({ published: true, note: run.outputs.draft, readers: inputs.readers * 7 })",
        },
        {
          id: "withdraw",
          type: "transform",
          expression: "({ published: false, reason: run.outputs.approve.comment })",
        },
        { id: "note", type: "output" },
      ],
      edges: [
        { from: "draft", to: "approve" },
        { from: "approve", to: "decided" },
        { from: "publish", to: "note" },
        { from: "withdraw", to: "note" },
      ],
    },
  });
}
