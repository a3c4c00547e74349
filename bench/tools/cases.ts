import type { Tool } from "../../packages/contracts/src/index.ts";
import { type AgentDefinition, defineTool } from "../../packages/runtime/src/index.ts";

/** One kind of tool, and how the agent uses it. */
export interface Case {
  readonly name: string;
  readonly tool: Tool;
  readonly agent?: Partial<AgentDefinition>;
  /** Whether it is held to the target. */
  readonly isTarget: boolean;
}

export interface Question {
  readonly city: string;
  readonly days: number;
}

/** What every tool does, and what is called by hand beside it. */
export async function lookUp({ city, days }: Question): Promise<{ readonly city: string; readonly forecast: string }> {
  return { city, forecast: `${days} days of sun` };
}

const inputSchema = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer" } },
  required: ["city", "days"],
} as const;

function makeTool(definition: Partial<Parameters<typeof defineTool<Question>>[0]> = {}): Tool {
  return defineTool<Question>({
    id: "look_up",
    description: "Looks the weather up.",
    inputSchema,
    class: "read_only",
    execute: lookUp,
    ...definition,
  });
}

const promoted = { toolConcurrency: { look_up: {} } };

export const CASES: readonly Case[] = [
  { name: "read-only", tool: makeTool(), isTarget: true },
  { name: "read-only, no time limit", tool: makeTool({ timeoutMs: null }), isTarget: true },
  { name: "read-only, started early", tool: makeTool(), agent: { startReadsEarly: true }, isTarget: false },
  { name: "promoted writes", tool: makeTool({ class: "mutating" }), agent: promoted, isTarget: false },
  { name: "writes, one after the other", tool: makeTool({ class: "mutating" }), isTarget: false },
  { name: "sequential mode", tool: makeTool(), agent: { toolExecutionMode: "sequential" }, isTarget: false },
];
