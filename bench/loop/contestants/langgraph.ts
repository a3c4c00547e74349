import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { type Contestant, type RunReport, statelessRunner } from "../contestant.ts";
import {
  DELTAS,
  INSTRUCTIONS,
  lookUp,
  QUESTION,
  TOOL_ARGUMENTS,
  TOOL_DESCRIPTION,
  TOOL_NAME,
  toolSchema,
} from "../workload.ts";

/** As the framework's own fake models, but its chunks carry a tool call first. */
class InstantChatModel extends BaseChatModel {
  _llmType(): string {
    return "instant";
  }

  override bindTools(): this {
    return this;
  }

  async _generate(): Promise<ChatResult> {
    throw new Error("Only streams are measured.");
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    _options: this["ParsedCallOptions"],
    manager?: { handleLLMNewToken(token: string, ...rest: unknown[]): Promise<void> },
  ): AsyncGenerator<ChatGenerationChunk> {
    if (messages.at(-1)?.getType() === "tool") {
      for (const delta of DELTAS) {
        const chunk = new ChatGenerationChunk({ text: delta, message: new AIMessageChunk({ content: delta }) });
        yield chunk;
        await manager?.handleLLMNewToken(delta, undefined, undefined, undefined, undefined, { chunk });
      }
      return;
    }
    const call = { index: 0, id: "call_1", name: TOOL_NAME, args: TOOL_ARGUMENTS, type: "tool_call_chunk" } as const;
    const message = new AIMessageChunk({ content: "", tool_call_chunks: [call] });
    const chunk = new ChatGenerationChunk({ text: "", message });
    yield chunk;
    await manager?.handleLLMNewToken("", undefined, undefined, undefined, undefined, { chunk });
  }
}

const agent = createReactAgent({
  llm: new InstantChatModel({}),
  prompt: INSTRUCTIONS,
  tools: [
    tool(async (input: { readonly city: string }) => lookUp(input), {
      name: TOOL_NAME,
      description: TOOL_DESCRIPTION,
      schema: toolSchema,
    }),
  ],
});

async function runOnce(): Promise<RunReport> {
  const stream = await agent.stream({ messages: [{ role: "user", content: QUESTION }] }, { streamMode: "messages" });
  let text = "";
  let events = 0;
  for await (const [message] of stream) {
    events += 1;
    if (message.getType() === "ai" && typeof message.content === "string") text += message.content;
  }
  return { text, events };
}

export const langgraph: Contestant = {
  name: "LangGraph createReactAgent",
  note: '`streamMode: "messages"`, no checkpointer; nothing stored',
  open: async () => statelessRunner(runOnce),
};
