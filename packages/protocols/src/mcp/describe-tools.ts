import type { ToolDescriptor } from "@reprise/contracts";
import type { JsonObject } from "@reprise/state";
import type { McpEra } from "./decode-message.ts";

/** Something that a client can call: an agent, or a tool of an agent. */
export type McpTool =
  | {
      readonly kind: "agent";
      readonly name: string;
      readonly agentId: string;
      readonly title: string;
      readonly description: string;
      readonly outputSchema?: JsonObject;
    }
  | { readonly kind: "tool"; readonly name: string; readonly agentId: string; readonly descriptor: ToolDescriptor };

const AGENT_INPUT: JsonObject = {
  type: "object",
  properties: {
    input: { type: "string", description: "The message to the agent." },
    thread_id: { type: "string", description: "Continues an earlier conversation. A new one begins without it." },
  },
  required: ["input"],
  additionalProperties: false,
};

const AGENT_OUTPUT: JsonObject = {
  type: "object",
  properties: { text: { type: "string" }, run_id: { type: "string" }, thread_id: { type: "string" } },
  required: ["text", "run_id", "thread_id"],
};

/** A tool as `tools/list` has it. */
export function describeMcpTool(tool: McpTool, era: McpEra): JsonObject {
  // Clients of 2025 may ask for a task; those of 2026 get one when the call takes long.
  const execution = era === "session" ? { execution: { taskSupport: "optional" } } : {};
  if (tool.kind === "agent") {
    const { name, title, description, outputSchema = AGENT_OUTPUT } = tool;
    return { name, title, description, inputSchema: AGENT_INPUT, outputSchema, ...execution };
  }
  const { name, descriptor } = tool;
  const isReading = descriptor.class === "read_only";
  return {
    name,
    title: descriptor.name,
    description: descriptor.description,
    inputSchema: descriptor.parameters,
    annotations: {
      readOnlyHint: isReading,
      destructiveHint: descriptor.is_destructive,
      idempotentHint: isReading || descriptor.idempotent,
    },
    ...execution,
  };
}
