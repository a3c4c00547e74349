import { stepCountIs, streamText, ToolLoopAgent, tool } from "ai";
import { type Contestant, type RunReport, statelessRunner } from "../contestant.ts";
import { aiSdkModel } from "../models/ai-sdk-model.ts";
import { INSTRUCTIONS, lookUp, QUESTION, TOOL_DESCRIPTION, TOOL_NAME, toolSchema } from "../workload.ts";

const tools = {
  [TOOL_NAME]: tool({
    description: TOOL_DESCRIPTION,
    inputSchema: toolSchema,
    execute: async (input) => lookUp(input),
  }),
};

const agent = new ToolLoopAgent({ model: aiSdkModel, instructions: INSTRUCTIONS, tools });

interface AiStream {
  readonly fullStream: AsyncIterable<
    { readonly type: string } | { readonly type: "text-delta"; readonly text: string }
  >;
}

async function consume({ fullStream }: AiStream): Promise<RunReport> {
  let text = "";
  let events = 0;
  for await (const part of fullStream) {
    events += 1;
    if (part.type === "text-delta" && "text" in part) text += part.text;
  }
  return { text, events };
}

export const toolLoopAgent: Contestant = {
  name: "ai ToolLoopAgent",
  note: "`agent.stream`, `fullStream` read; nothing stored",
  open: async () => statelessRunner(async () => consume(await agent.stream({ prompt: QUESTION }))),
};

export const aiStreamText: Contestant = {
  name: "ai streamText",
  note: "`stopWhen: stepCountIs(10)`, `fullStream` read; nothing stored",
  open: async () =>
    statelessRunner(() =>
      consume(
        streamText({ model: aiSdkModel, system: INSTRUCTIONS, prompt: QUESTION, tools, stopWhen: stepCountIs(10) }),
      ),
    ),
};
