import { expect, it } from "vitest";
import { parseWorkflow } from "../src/document/read-workflow.ts";

const NODES = [{ id: "out", type: "output" }];
const AGENT = { id: "a", model: "m", provider: "p" };
const GATE = { id: "g", type: "human_gate", gate_type: "approval", message_template: "?", timeout_ms: 1 };

// What the page about what workflows leave out says is refused.
it.each([
  ["a file watcher", { trigger: { type: "file_change", path: "src" }, nodes: NODES }, "trigger"],
  ["an MCP call as a trigger", { trigger: { type: "mcp_call" }, nodes: NODES }, "trigger"],
  ["a gate that escalates", { nodes: [{ ...GATE, timeout_action: "escalate" }] }, "timeout_action"],
  ["the memory of an agent", { agents: [{ ...AGENT, memory: { type: "window" } }], nodes: NODES }, "memory"],
  ["MCP servers of an agent", { agents: [{ ...AGENT, mcp_servers: ["files"] }], nodes: NODES }, "mcp_servers"],
  ["context that reads outputs", { context: { a: "{{ run.outputs.out }}" }, nodes: NODES }, "context"],
])("a document with %s is refused, and the place is named", (_, workflow, place) => {
  const { document, problems } = parseWorkflow(
    JSON.stringify({ schema_version: "1.0", workflow: { id: "w", ...workflow } }),
  );
  expect(document).toBeUndefined();
  expect(problems).toHaveLength(1);
  expect(`${problems[0]?.path} ${problems[0]?.message}`).toContain(place);
});
