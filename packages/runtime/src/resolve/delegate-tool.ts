import { type AgentSpec, type Tool, toolFailure, toolResult } from "@reprise/contracts";
import { defineTool } from "../define/define-tool.ts";

/**
 * The id of the tool by which an agent is called: `agent_run_<agent id>`, every character a provider would not take in a
 * tool's name replaced by `_`. Catalogue lists and permission rules name delegates by it.
 */
export function delegateToolId(agentId: string): string {
  return `agent_run_${agentId.replaceAll(/[^A-Za-z0-9_-]/g, "_")}`;
}

// An agent's description never changes, and every resolve of those that delegate to it asks.
const tools = new WeakMap<AgentSpec, Tool>();

/** The tool by which other agents call this one. */
export function delegateTool(delegate: AgentSpec): Tool {
  const known = tools.get(delegate);
  if (known !== undefined) return known;
  const tool = describeDelegate(delegate);
  tools.set(delegate, tool);
  return tool;
}

function describeDelegate({ id: agentId, name, description }: AgentSpec): Tool {
  const id = delegateToolId(agentId);
  const purpose = description === "" ? "" : ` ${description}`;
  return defineTool({
    id,
    name: id,
    description: `Hands a task to the agent ${name} and answers with what it found.${purpose}`,
    inputSchema: {
      type: "object",
      properties: { prompt: { type: "string", description: "The task, with all the agent needs to know." } },
      required: ["prompt"],
      additionalProperties: false,
    },
    recursive: true,
    metadata: { agent_id: agentId },
    execute: () => {
      const message = `Delegation is not available in this runtime, so agent ${agentId} was not called.`;
      return toolResult(toolFailure(id, "delegation_unavailable", message));
    },
  });
}
