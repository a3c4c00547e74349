import type { LanguageModel, ModelChunk, Store } from "../../../packages/contracts/src/index.ts";
import { createRuntime, defineAgent, defineTool, type Runtime } from "../../../packages/reprise/src/index.ts";
import {
  ANSWER,
  book,
  INSTRUCTIONS,
  piecesOf,
  TOOL_ARGUMENTS,
  TOOL_DESCRIPTION,
  TOOL_NAME,
  toolSchema,
} from "./workload.ts";

const CALL: readonly ModelChunk[] = [
  { type: "tool_call_start", id: "call_1", name: TOOL_NAME },
  { type: "tool_call_delta", id: "call_1", args_delta: TOOL_ARGUMENTS },
  { type: "tool_call_ready", id: "call_1", name: TOOL_NAME, arguments: TOOL_ARGUMENTS },
  { type: "finish", stop_reason: "tool_use", usage: { prompt_tokens: 300, completion_tokens: 20 } },
];

/** What a model says that says a text. */
export function speechOf(text: string): readonly ModelChunk[] {
  return [
    ...piecesOf(text).map((delta) => ({ type: "text_delta", delta }) as const),
    { type: "finish", stop_reason: "end_turn", usage: { prompt_tokens: 300, completion_tokens: 250 } },
  ];
}

const ANSWERING = speechOf(ANSWER);

/** Calls the tool and then answers; at once. */
export const bookingModel: LanguageModel = {
  id: "booking",
  async *stream({ messages }) {
    yield* messages.at(-1)?.role === "tool" ? ANSWERING : CALL;
  },
};

const tool = defineTool({
  id: TOOL_NAME,
  description: TOOL_DESCRIPTION,
  inputSchema: toolSchema,
  execute: (input: { readonly room: string }) => book(input),
});

/** A runtime with one agent on a store; everything else as it comes. */
export function openRuntime(store: Store, model: LanguageModel = bookingModel): Promise<Runtime> {
  return createRuntime({
    agents: [defineAgent({ id: "bench", instructions: INSTRUCTIONS, model, tools: [tool] })],
    store,
  });
}
