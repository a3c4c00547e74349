import { type FrontendTool, RepriseError, suspendTool, type Tool } from "@reprise/contracts";
import { readInputSchema } from "../define/input-schema.ts";
import { createCatalogueFilter } from "./catalogue-filter.ts";
import type { ResolvedAgent } from "./resolved-agent.ts";
import { toolLists } from "./tool-pipeline.ts";

/**
 * An agent with the tools that the client of a run executes. A client cannot change which tool an id of the agent means, nor bring one
 * that the agent excludes.
 */
export function withFrontendTools(agent: ResolvedAgent, brought: readonly FrontendTool[]): ResolvedAgent {
  const filter = createCatalogueFilter(toolLists(agent.spec));
  const added = brought.filter(({ id }) => !agent.tools.has(id) && !filter.excludes(id));
  if (added.length === 0) return agent;
  const tools = new Map([...agent.tools, ...added.map((tool) => [tool.id, frontendTool(tool)] as const)]);
  return Object.freeze({ ...agent, tools });
}

const ANY_OBJECT = { type: "object" };

/** To execute it is to ask the client, so doing that again after a crash is harmless. */
function frontendTool({ id, description, parameters = ANY_OBJECT }: FrontendTool): Tool {
  return {
    descriptor: {
      id,
      name: id,
      description,
      parameters,
      class: "mutating",
      needs_approval: false,
      is_destructive: false,
      is_recursive: false,
      idempotent: true,
      interrupt_behavior: "cancel",
      timeout_ms: null,
      capabilities: [],
      version: "",
      metadata: { runtime_owner: "frontend" },
    },
    check: async (input) => {
      try {
        return await readInputSchema(id, parameters).check(input ?? {});
      } catch (error) {
        // The schema is the client's, and so are the arguments: one that cannot be read checks nothing.
        if (RepriseError.is(error, "INVALID_DEFINITION")) return { ok: true, input };
        throw error;
      }
    },
    needsApproval: async () => false,
    execute: async () => suspendTool({ action: `tool:${id}`, resumeMode: "use_decision_as_tool_result" }),
  };
}
