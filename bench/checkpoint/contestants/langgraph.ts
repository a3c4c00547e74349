import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessageChunk, type BaseMessage } from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import { tool } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import type { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import {
  ANSWER,
  book,
  INSTRUCTIONS,
  piecesOf,
  TOOL_ARGUMENTS,
  TOOL_DESCRIPTION,
  TOOL_NAME,
  toolSchema,
} from "../load/workload.ts";

/** As the framework's own fake models; says what it is told to say, or calls the tool first. */
class InstantChatModel extends BaseChatModel {
  readonly #answer: (messages: readonly BaseMessage[]) => string | undefined;

  constructor(answer: (messages: readonly BaseMessage[]) => string | undefined) {
    super({});
    this.#answer = answer;
  }

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
    for (const message of chunksOf(this.#answer(messages))) {
      const text = typeof message.content === "string" ? message.content : "";
      const chunk = new ChatGenerationChunk({ text, message });
      yield chunk;
      await manager?.handleLLMNewToken(text, undefined, undefined, undefined, undefined, { chunk });
    }
  }
}

function chunksOf(answer: string | undefined): readonly AIMessageChunk[] {
  if (answer !== undefined) return piecesOf(answer).map((content) => new AIMessageChunk({ content }));
  const call = { index: 0, id: "call_1", name: TOOL_NAME, args: TOOL_ARGUMENTS, type: "tool_call_chunk" } as const;
  return [new AIMessageChunk({ content: "", tool_call_chunks: [call] })];
}

/** When a step's checkpoint has to be there: before the next step, or at some time. */
export type LangGraphDurability = "sync" | "async";

/** Says one thing on a thread and reads the answer to its end. */
export type Say = (threadId: string, text: string) => Promise<string>;

/** An agent as the framework documents it. `answer` undefined calls the tool and then gives the workload's answer. */
export function openLangGraph(
  checkpointSaver: PostgresSaver,
  durability: LangGraphDurability,
  answer: ((messages: readonly BaseMessage[]) => string) | undefined,
): Say {
  const bookFirst = (messages: readonly BaseMessage[]): string | undefined =>
    messages.at(-1)?.getType() === "tool" ? ANSWER : undefined;
  const agent = createReactAgent({
    llm: new InstantChatModel(answer ?? bookFirst),
    prompt: INSTRUCTIONS,
    checkpointSaver,
    tools: [
      tool(async (input: { readonly room: string }) => book(input), {
        name: TOOL_NAME,
        description: TOOL_DESCRIPTION,
        schema: toolSchema,
      }),
    ],
  });
  return async (threadId, text) => {
    const stream = await agent.stream(
      { messages: [{ role: "user", content: text }] },
      { streamMode: "messages", durability, configurable: { thread_id: threadId } },
    );
    let said = "";
    for await (const [message] of stream) {
      if (message.getType() === "ai" && typeof message.content === "string") said += message.content;
    }
    return said;
  };
}
