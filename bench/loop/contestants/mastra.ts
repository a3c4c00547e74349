import { Agent } from "@mastra/core/agent";
import type { MastraModelConfig } from "@mastra/core/llm";
import { createTool } from "@mastra/core/tools";
import { type Contestant, type RunReport, statelessRunner } from "../contestant.ts";
import { aiSdkModel } from "../models/ai-sdk-model.ts";
import { INSTRUCTIONS, lookUp, QUESTION, TOOL_DESCRIPTION, TOOL_NAME, toolSchema } from "../workload.ts";

const agent = new Agent({
  id: "bench",
  name: "bench",
  instructions: INSTRUCTIONS,
  // Mastra types the same interface by an older version of it, with one reason to finish less.
  model: aiSdkModel as MastraModelConfig,
  tools: {
    [TOOL_NAME]: createTool({
      id: TOOL_NAME,
      description: TOOL_DESCRIPTION,
      inputSchema: toolSchema,
      execute: async (input) => lookUp(input),
    }),
  },
});

async function runOnce(): Promise<RunReport> {
  const { fullStream } = await agent.stream(QUESTION);
  let text = "";
  let events = 0;
  for await (const chunk of fullStream) {
    events += 1;
    if (chunk.type === "text-delta") text += chunk.payload.text;
  }
  return { text, events };
}

export const mastra: Contestant = {
  name: "@mastra/core Agent",
  note: "`agent.stream`, `fullStream` read; no memory, no storage",
  open: async () => statelessRunner(runOnce),
};
